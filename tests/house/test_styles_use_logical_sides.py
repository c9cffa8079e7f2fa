"""Styles use logical sides instead of left and right, so that the same rules serve pages in Arabic."""

import re
from pathlib import Path

import pytest

STYLES = sorted((Path(__file__).parents[2] / "static" / "css").glob("*.css"))
PHYSICAL = re.compile(
    r"(?<![\w-])(?:margin|padding|border)-(?:left|right)|(?<![\w-])(?:left|right)\s*:"
    r"|(?:text-align|float|clear)\s*:\s*(?:left|right)|border-(?:top|bottom)-(?:left|right)-radius"
)


@pytest.mark.parametrize("style", STYLES, ids=lambda path: path.name)
def test_styles_do_not_use_left_and_right(style: Path):
    assert PHYSICAL.findall(style.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("rule", ["margin-left: 1px", "left: 0", "text-align: right", "border-top-left-radius: 1px"])
def test_a_rule_with_left_or_right_is_detected(rule: str):
    assert PHYSICAL.search(f".a {{ {rule} }}")
