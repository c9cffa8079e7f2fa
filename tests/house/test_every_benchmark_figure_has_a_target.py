"""Every figure of `make bench` has a target, and every target is measured."""

import ast
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from bench import one_part
from bench.figures import Measured, Part
from bench.targets import PARTS, TOTAL

ROOT = Path(__file__).parents[2]
MEASURED = [part for part in PARTS if part.targets]
OTHERS = {"tracker": ["tracker_submissions.py"]}


def names(part: Part) -> list[re.Pattern[str]]:
    """The texts of its module that may be a figure's name, whatever is filled in."""
    found = []
    for file in [f"bench_{part.name}.py", *OTHERS.get(part.name, [])]:
        for node in ast.walk(ast.parse((ROOT / "bench" / file).read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr | ast.Constant):
                pieces = node.values if isinstance(node, ast.JoinedStr) else [node]
                said = [str(one.value) if isinstance(one, ast.Constant) else None for one in pieces]
                if sum(len(one or "") for one in said) > 12:  # without this length, nearly any text would match
                    found.append(re.compile("".join(".+" if one is None else re.escape(one) for one in said)))
    return found


@pytest.mark.parametrize("part", MEASURED, ids=lambda part: part.name)
def test_each_target_is_measured_by_its_benchmark(part: Part):
    known = names(part)
    every = [target.name for target in part.targets]
    shorter = {one: re.sub(", (SQLite|PostgreSQL)$", "", one) for one in every}
    assert [one for one in every if not any(k.fullmatch(one) or k.fullmatch(shorter[one]) for k in known)] == []


def test_no_figure_has_two_targets():
    every = [target.name for part in PARTS for target in part.targets]
    assert sorted(every) == sorted(set(every))


def test_a_figure_without_a_target_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    invented = SimpleNamespace(run=lambda: iter([Measured("invented / measured", 1, "")]))
    monkeypatch.setitem(sys.modules, "bench.bench_invented", invented)
    monkeypatch.setattr(one_part.signal, "signal", lambda *_: None)
    with pytest.raises(KeyError, match="invented / measured"):
        one_part.main("invented", tmp_path / "figures")


def test_all_benchmarks_together_have_25_minutes():
    assert sum(part.seconds for part in MEASURED) <= TOTAL == 25 * 60


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_a_page_explains_each_benchmark(part: Part):
    assert (ROOT / "docs" / part.explained).is_file()
    assert (ROOT / "bench" / f"bench_{part.name}.py").is_file()
