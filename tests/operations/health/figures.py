"""Reads metrics of a portal and a service, and those that files of deploy/ use."""

import re
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

ROOT = Path(__file__).parents[3]
ALERTS = ROOT / "deploy" / "prometheus" / "alerts.yml"
DASHBOARD = ROOT / "deploy" / "grafana" / "dashboard.json"
MONITOR = ROOT / "docs" / "operating" / "monitor.md"
TROUBLESHOOT = ROOT / "docs" / "operating" / "troubleshoot.md"
_FIGURE = re.compile(r"\b(?:portal|tracker)_[a-z_]+")

Figures = dict[tuple[str, frozenset[tuple[str, str]]], float]


def read(text: str) -> Figures:
    """Return name and labels → value."""
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def figure(found: Figures, name: str, **labels: str) -> float | None:
    """Return one value; None if there is none."""
    return found.get((name, frozenset(labels.items())))


def of_part(found: Figures, part: str) -> float | None:
    return figure(found, "portal_part_up", part=part)


def families(text: str) -> set[str]:
    """Return the names of samples, with the suffixes of histograms and counters."""
    names: set[str] = set()
    for name, kind in re.findall(r"^# TYPE (\S+) (\S+)$", text, re.MULTILINE):
        names |= {f"{name}_{end}" for end in ("bucket", "count", "sum")} if kind == "histogram" else {name}
    return names


def named_in(expressions: str) -> set[str]:
    """Return the metrics in an expression."""
    return set(_FIGURE.findall(expressions))
