"""Each code that a front end can get is in docs/embedding.md, and each that is there can be got."""

import re
from pathlib import Path

from portal.site.apply import json_api, json_errors
from portal.site.forms.fields import cv
from portal.site.routing import problems

ROOT = Path(__file__).parents[2]


def documented() -> set[str]:
    text = (ROOT / "docs" / "embedding.md").read_text(encoding="utf-8")
    tables = text.partition("### Errors")[2].partition("\n## ")[0]
    return {code for row in re.findall(r"(?m)^\| (`.*?`) \|", tables) for code in re.findall(r"`(\w+)`", row)}


def test_codes_and_their_documentation_are_the_same():
    made = {*problems.CODES.values(), *json_errors.CODES, *cv.CODES, json_api.INVALID_KEY}
    assert len(made) > 40
    assert documented() == made
