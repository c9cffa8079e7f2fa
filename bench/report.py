"""The table of all figures, on the terminal and with the profiles in docs/performance.md."""

import os
import platform
import sqlite3
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psutil

from bench.figures import Part, Shares, Target
from bench.targets import PARTS
from tests.parts.postgres import binaries

ROOT = Path(__file__).parents[1]
DOCUMENT = ROOT / "docs" / "performance.md"
_TEMPLATE = """\
<!-- Written by `make bench`: change bench/targets.py or bench/report.py, and run it again. -->
# Performance

`make bench` measures ratios against a baseline in the same run, in at most 25 minutes, and writes this page;
`make bench ONLY=pages` measures one part and writes nothing.

{facts}
- **Measured** is a median where there are several rounds, and in brackets between which values their middle half lies.
- **Missed** figures have a profile below. What was tried, and what is left, is in the decisions
  [0131](decisions/0131-pages-and-searches-are-shortened-by-profile.md),
  [0132](decisions/0132-deliveries-share-statements-and-not-locks.md),
  [0133](decisions/0133-files-are-read-once-and-memory-is-bounded.md) and
  [0134](decisions/0134-the-first-job-is-painted-before-its-filters.md).

| figure | target | measured | verdict |
|---|---|---|---|
{table}

## How it is measured

{parts}

## Figures that missed their target

{missed}
"""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table, and what is said of it below. verdict: met, missed, or why there is no figure."""

    part: Part
    target: Target
    measured: str
    verdict: str
    detail: str
    profile: Shares

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """The line."""
        sign = "≥" if self.target.good == "at least" else "≤"
        return self.target.name, f"{sign} {self.target.value:,g}", self.measured, self.verdict


def rows(part: Part, found: list[dict[str, Any]], failure: str) -> list[Row]:
    """A line for each target of the part, whether it was measured or not. failure: why it was not."""
    by_name = {one["name"]: one for one in found}
    made = []
    for target in part.targets:
        one = by_name.get(target.name)
        if one is None:
            made.append(Row(part, target, "–", failure or "not measured", "", []))
            continue
        spread = " ({} to {})".format(*map(_number, one["spread"])) if one["spread"] else ""
        verdict = "met" if target.met(one["value"]) else "missed"
        made.append(Row(part, target, _number(one["value"]) + spread, verdict, one["detail"], one["profile"]))
    return made


def as_text(lines: list[Row]) -> list[str]:
    """For a terminal."""
    table = [("figure", "target", "measured", "verdict"), *(one.cells for one in lines)]
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in table]


def as_document(lines: list[Row], told: list[str]) -> str:
    """The whole page. told: facts about the machine."""
    table = []
    for one in lines:
        name, target, measured, verdict = one.cells
        table.append(f"| {name} | {target} | {measured} | {verdict if verdict == 'met' else f'**{verdict}**'} |")
    parts = [f"- **{part.name}** ([why so]({part.explained})): {part.how}" for part in PARTS if part.targets]
    return _TEMPLATE.format(
        facts="\n".join(f"- {one}" for one in told),
        table="\n".join(table),
        parts="\n".join(parts),
        missed=missed(lines) or "None.",
    )


def missed(lines: list[Row]) -> str:
    """A paragraph and a profile for each figure that misses its target."""
    return "\n\n".join(text for one in lines if one.verdict == "missed" for text in _explained(one))


def facts() -> list[str]:
    """What the figures depend on, without the machine's name or folders."""
    cpu = next((line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")), "")
    memory = psutil.virtual_memory().total / 2**30
    cores = f"{os.cpu_count()} cores ({cpu.partition(': ')[2] or platform.machine()}), {memory:.0f} GB"
    postgres = _said(str(binaries() / "postgres"), "--version").split()[2]
    versions = f"Python {platform.python_version()}, SQLite {sqlite3.sqlite_version}, PostgreSQL {postgres}"
    changed = ", with changes" if _said("git", "status", "--porcelain", "--untracked-files=no") else ""
    return [
        f"**Machine:** {cores}; {versions}; its load before the run was {os.getloadavg()[0]:.1f}.",
        f"**Commit:** {_said('git', 'rev-parse', '--short', 'HEAD')}{changed}.",
    ]


def _explained(one: Row) -> Iterator[str]:
    name, target, measured, _ = one.cells
    yield f"**{name}**: {measured}, target {target}. {one.detail}. See [the decision]({one.part.explained})."
    if one.profile:
        lines = "\n".join(f"| {100 * share:.0f} % | `{what}` |" for share, what in one.profile)
        yield f"| share | of samples in (or memory of) |\n|---|---|\n{lines}"
    else:
        yield "There is no profile of it: it counts, or what it measures has ended."


def _number(value: float) -> str:
    """Three digits, and all of a larger number."""
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:#.3g}"


def _said(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()
