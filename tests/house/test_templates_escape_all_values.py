"""Templates escape everything; trusted markup is built in portal/site/design/markup.py, and nothing is inline."""

import re
from pathlib import Path

import jinja2
import jinja2.ext
import pytest
from jinja2 import nodes

ROOT = Path(__file__).parents[2]
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
ENVIRONMENT = jinja2.Environment(extensions=[jinja2.ext.i18n, jinja2.ext.do], autoescape=True)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_template_marks_anything_safe(path: Path):
    tree = ENVIRONMENT.parse(path.read_text(encoding="utf-8"))
    trusted = [node for node in tree.find_all(nodes.Filter) if node.name in {"safe", "forceescape"}]
    trusted += list(tree.find_all(nodes.ScopedEvalContextModifier))
    assert not trusted


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda p: str(p.relative_to(ROOT)))
def test_no_template_has_inline_script_or_style(path: Path):
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"\son[a-z]+=\"|javascript:", text)
    if path.parent.name != "mail":  # email programs load no external stylesheets
        assert not re.search(r"\sstyle=|<style\b", text)
    assert all("src=" in tag or 'type="application/' in tag for tag in re.findall(r"<script\b[^>]*>", text))


@pytest.mark.parametrize(
    "path",
    [path for path in TEMPLATES if path.parent.name != "console"],  # operators' pages are in English (decision 0096)
    ids=lambda p: str(p.relative_to(ROOT)),
)
def test_visible_text_in_templates_uses_gettext(path: Path):
    tree = ENVIRONMENT.parse(path.read_text(encoding="utf-8"))
    plain = " ".join(
        data.data
        for output in tree.find_all(nodes.Output)
        for data in output.nodes
        if isinstance(data, nodes.TemplateData)
    )
    visible = re.sub(r"(?s)<(script|style|svg)\b.*?</\1>|<[^>]*>|&[a-z]+;", " ", plain)
    visible = re.sub(r"<[^>]*$|^[^<]*>", " ", visible)
    words = re.findall(r"(?<![-\w=\"'/.#&])[A-Za-z]{3,}(?![-\w=\"'/])", visible)
    assert not words, f"{path.name}: {words[:5]}"
