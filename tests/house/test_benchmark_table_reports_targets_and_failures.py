"""The table of `make bench` shows met and missed targets, profiles of missed ones, and failures."""

import json
import os
import sys
from pathlib import Path

from bench import report
from bench.__main__ import GRACE, run
from bench.figures import Part, Target, median

PART = Part(
    "pages",
    30,
    "decisions/0131-pages-and-searches-are-shortened-by-profile.md",
    "In turn.",
    (Target("ours / theirs", "at least", 3.0), Target("wait, ms", "at most", 30), Target("never, MB", "at most", 8)),
)
FAST = {"name": "ours / theirs", "value": 3.0, "spread": [2.5, 3.25], "detail": "300 / 100 a second", "profile": []}
LATE = {"name": "wait, ms", "value": 1_234.5, "spread": None, "detail": "1 of 2", "profile": [[0.75, "read (db.py)"]]}


def cells_of(line: report.Row) -> list[str]:
    return list(line.cells)


def started(folder: Path, script: str, seconds: float = 60) -> tuple[list[dict], str]:
    figure = f"open(sys.argv[2], 'w').write({json.dumps(FAST)!r} + chr(10))"
    return run(PART, folder, seconds, (sys.executable, "-c", f"import sys, time; {figure}; {script}"))


def test_a_value_equal_to_its_target_meets_it_and_a_worse_one_misses_it():
    fast, late, never = report.rows(PART, [FAST, LATE], "")
    assert cells_of(fast) == ["ours / theirs", "≥ 3", "3 (2.50 to 3.25)", "met"]
    assert cells_of(late) == ["wait, ms", "≤ 30", "1,234", "missed"]
    assert cells_of(never) == ["never, MB", "≤ 8", "–", "not measured"]


def test_the_interquartile_range_of_the_rounds_is_reported():
    figure = median("ours / theirs", [9.0, 1.0, 2.0, 3.0, 4.0], "")
    assert (figure.value, figure.spread) == (3.0, (2.0, 4.0))


def test_measurements_made_before_a_benchmark_failed_are_kept(tmp_path: Path):
    found, failure = started(tmp_path, "sys.exit(1)")
    assert [line.verdict for line in report.rows(PART, found, failure)] == ["met", "failed", "failed"]


def test_a_benchmark_over_its_time_limit_is_stopped_with_its_child_processes(tmp_path: Path):
    child = f"open({str(tmp_path / 'child')!r}, 'w').write(str(subprocess.Popen(['sleep', '60']).pid))"
    found, failure = started(tmp_path, f"import subprocess; {child}; time.sleep(60)", GRACE + 5)
    assert [line.verdict for line in report.rows(PART, found, failure)] == ["met", *["not ended in time"] * 2]
    assert not is_running(int((tmp_path / "child").read_text()))


def is_running(pid: int) -> bool:
    state = Path(f"/proc/{pid}/stat")
    return state.exists() and state.read_text().rpartition(")")[2].split()[0] != "Z"


def test_the_page_explains_missed_targets_by_a_profile_and_names_no_machine():
    page = report.as_document(report.rows(PART, [FAST, LATE], "failed"), report.facts())
    table, missed = page.split("## Figures that missed their target")
    assert "| ours / theirs | ≥ 3 | 3 (2.50 to 3.25) | met |" in table
    assert "| wait, ms | ≤ 30 | 1,234 | **missed** |" in table
    assert "| never, MB | ≤ 8 | – | **failed** |" in table
    assert "**wait, ms**: 1,234, target ≤ 30. 1 of 2." in missed
    assert "| 75 % | `read (db.py)` |" in missed
    assert "ours / theirs" not in missed
    assert str(report.ROOT) not in page
    assert f"{os.cpu_count()} cores" in page
