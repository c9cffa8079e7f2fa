"""An alert without a section or with an unknown metric fails here, and so does an undocumented metric."""

import json
import re

import pytest

from tests import builders
from tests.operations.health.figures import ALERTS, DASHBOARD, MONITOR, TROUBLESHOOT, families, named_in

SAID = TROUBLESHOOT.read_text(encoding="utf-8")
RULES = ALERTS.read_text(encoding="utf-8")


def expressions() -> str:
    """Return the expression of every alert, which follows `expr:` on the same or the next lines."""
    found = re.findall(r"expr: (?:>-\n)?(.*?)\n(?: {8}for:| {8}labels:)", RULES, re.DOTALL)
    assert len(found) == RULES.count("- alert:")
    return "\n".join(found)


def sections() -> dict[str, str]:
    """Return the sections of *Alerts*: heading → text."""
    chapter = SAID.partition("\n## Alerts\n")[2].partition("\n## ")[0]
    return {name: text for name, _, text in (part.partition("\n") for part in chapter.split("\n### ")[1:])}


def metrics() -> str:
    return MONITOR.read_text(encoding="utf-8").partition("\n## Metrics\n")[2].partition("\n## ")[0]


@pytest.fixture(scope="module")
def exported_metrics(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Return every metric of a portal and a service with a company."""
    made = builders.portal(tmp_path_factory.mktemp("portal"))
    made.add_tenant("acme", "Acme")
    made.parts.clock.pass_time(1)
    with made.browser() as monitoring:
        portal = monitoring.get("/metrics").text
    service = made.service.app.test_client().get("/metrics").text
    made.parts.close()
    return families(portal) | families(service)


def test_every_alert_has_its_own_section_and_links_to_it():
    named = re.findall(
        r"- alert: (\w+)\n(?:(?!- alert:).)*?runbook_url: http://127.0.0.1:8002/manual/(\S+)\n", RULES, re.DOTALL
    )
    assert len(named) == RULES.count("- alert:")
    assert [runbook for _, runbook in named] == [f"troubleshoot#{alert.lower()}" for alert, _ in named]
    assert list(sections()) == [alert for alert, _ in named]


def test_every_section_explains_the_problem_and_the_remedy():
    assert [name for name, text in sections().items() if not text.startswith("\n**")] == []
    assert [name for name, text in sections().items() if "\nWhat to do: " not in text] == []


def test_every_alert_is_in_the_table_with_links_to_sections():
    listed = re.findall(r"(?m)^\| \[(\w+)\]\(#(\w+)\) \|", SAID)
    assert listed == [(name, name.lower()) for name in sections()]


def test_every_monitored_part_links_to_the_manual():
    from portal.operations.health.part import ANCHORS, MEANS, PartName

    assert set(ANCHORS) == set(MEANS) == set(PartName)
    assert set(ANCHORS.values()) <= {name.lower() for name in sections()}


def test_alerts_use_only_existing_metrics(exported_metrics: set[str]):
    assert named_in(expressions()) <= exported_metrics


def test_the_dashboard_uses_only_existing_metrics(exported_metrics: set[str]):
    panels = json.loads(DASHBOARD.read_text(encoding="utf-8"))["panels"]
    asked = [target["expr"] for panel in panels for target in panel["targets"]]
    assert named_in("\n".join(asked)) <= exported_metrics


def test_every_metric_is_documented(exported_metrics: set[str]):
    text = metrics()
    plain = {
        re.sub(r"_(bucket|count|sum)$", "", name) for name in exported_metrics if name.startswith("portal_http_seconds")
    }
    plain |= {name for name in exported_metrics if not name.startswith("portal_http_seconds")}
    lacking = [name for name in sorted(plain) if name not in text and not _by_its_end(name, text)]
    assert not lacking


def _by_its_end(name: str, text: str) -> bool:
    """`tracker_…` and `…_oldest_undelivered_seconds` stand there once for several."""
    if name.startswith("tracker_"):
        return name.removeprefix("tracker_").removesuffix("_bucket").removesuffix("_count").removesuffix("_sum") in text
    return name.endswith(("_oldest_undelivered_seconds", "_failures"))
