"""Every error code that a front end can receive is in docs/embedding.md, and every one there can be received."""

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


def test_documented_error_codes_are_those_in_the_code():
    made = {*problems.CODES.values(), *json_errors.CODES, *cv.CODES, json_api.INVALID_KEY}
    assert len(made) > 40
    assert documented() == made
