"""All visible text in templates, scripts and modules is marked for translation."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import jinja2
import pytest
from jinja2 import nodes

ROOT = Path(__file__).parents[2]
DESK = ROOT / "templates" / "console"
"""For operators, in English as the commands are (decision 0096)."""
PAGES = sorted(
    path
    for path in (ROOT / "templates").rglob("*")
    if path.suffix in {".html", ".txt"}
    and path.parent.name != "demo"  # for developers of the pages
    and path.parent != DESK
)
MODULES = sorted(path for path in (ROOT / "portal").rglob("*.py") if "tracker" not in path.parts)
SCRIPTS = sorted((ROOT / "static" / "js").glob("*.js"))
ENVIRONMENT = jinja2.Environment(extensions=["jinja2.ext.i18n"], autoescape=True)

MARKS = {"_", "gettext", "ngettext", "lazy_gettext", "lazy_ngettext"}
READ_OUT = r"(?:title|alt|label|placeholder|aria-label|aria-description|aria-roledescription|aria-valuetext)"
_SHOWN_ATTRIBUTE = re.compile(rf'\s{READ_OUT}="([^"]*)"')
_DESCRIPTION = re.compile(
    r'<meta[^>]*?(?:name="description"|property="og:(?:title|description|image:alt)")[^>]*?content="([^"]*)"'
)
_UNSEEN = re.compile(r"<!--.*?-->|<(script|style)\b.*?</\1>|<!doctype[^>]*>", re.DOTALL | re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]{2,}")
_SENTENCE = re.compile(r"^[^\W\d_a-z][^\W\d_]+(\s|$)|[^\W\d_]+ [^\W\d_]+ [^\W\d_]+")
HOLE = "\ue000"
NO_WORDS = {"URL", "API", "JSON", "OpenAPI"}
"""Names that are the same in every language."""


def is_marked(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Call) and isinstance(node.node, nodes.Name) and node.node.name in MARKS


def written(node: nodes.Node) -> Iterator[str]:
    """Return the literal text of a template, in order, with a placeholder for each value and translated text."""
    for child in node.iter_child_nodes():
        if isinstance(child, nodes.TemplateData):
            yield child.data
        elif isinstance(child, nodes.Expr):
            yield HOLE
        else:
            yield from written(child)


def strings(node: nodes.Node) -> Iterator[str]:
    """Return the texts that an expression may output without a translation mark."""
    if is_marked(node):
        return
    if isinstance(node, nodes.Const) and isinstance(node.value, str):
        yield node.value
    for child in node.iter_child_nodes():
        yield from strings(child)


def unmarked(page: Path) -> list[str]:
    tree = ENVIRONMENT.parse(page.read_text(encoding="utf-8"))
    text = "".join(written(tree))
    if page.suffix == ".html":
        text = _UNSEEN.sub(" ", text)
        found = [*_SHOWN_ATTRIBUTE.findall(text), *_DESCRIPTION.findall(text)]
        text = re.sub(r"<code\b.*?</code>", HOLE, text, flags=re.DOTALL)
        # A macro may write the attributes of a tag that is in another template.
        found += re.sub(r'<[^>]*>|\s[a-z-]+="[^"]*"', "\n", text).splitlines()
    else:
        found = text.splitlines()
    found = [words.strip() for words in found if set(_WORD.findall(words)) - NO_WORDS]
    return found + [words for words in strings(tree) if _SENTENCE.search(words)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT / "templates")))
def test_templates_contain_no_unmarked_text(page: Path):
    assert unmarked(page) == []


@pytest.mark.parametrize(
    "source",
    [
        "<p>Hello there</p>",
        '<img alt="A robot">',
        '<meta name="description" content="Jobs">',
        "{% if x %}Yes{% endif %}",
        "<b>{{ 'Closed' if x }}</b>",
        "<p>{{ _('Reference') }} number</p>",
    ],
)
def test_unmarked_text_is_detected(source: str, tmp_path: Path):
    (page := tmp_path / "page.html").write_text(source, encoding="utf-8")
    assert unmarked(page)


@pytest.mark.parametrize(
    "source", ["<p>{{ _('Hello') }}</p>", "{% trans %}Hi{% endtrans %}", '<i class="{{ "a b" }}">']
)
def test_marked_text_is_accepted(source: str, tmp_path: Path):
    (page := tmp_path / "page.html").write_text(source, encoding="utf-8")
    assert unmarked(page) == []


@pytest.mark.parametrize("page", sorted(DESK.glob("*.html")), ids=lambda page: page.name)
def test_the_operators_console_has_no_messages_in_the_catalogues(page: Path):
    """Nor do its includes: a page would be half translated, and no public page uses them."""
    tree = ENVIRONMENT.parse(page.read_text(encoding="utf-8"))
    assert not [node for node in tree.find_all(nodes.Call) if is_marked(node)]
    taken = [*tree.find_all((nodes.Extends, nodes.Include, nodes.FromImport, nodes.Import))]
    assert all(one.template.value.startswith("console/") for one in taken)


def test_no_public_page_includes_text_of_the_console():
    assert [page.name for page in PAGES if '"console/' in page.read_text(encoding="utf-8")] == []


def calls(module: Path) -> Iterator[tuple[ast.Call, list[ast.AST]]]:
    """Yield each call that marks a text, with the node that contains it."""

    def walk(node: ast.AST, around: list[ast.AST]) -> Iterator[tuple[ast.Call, list[ast.AST]]]:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in {*MARKS, "msgid"}:
            yield node, around
        for child in ast.iter_child_nodes(node):
            yield from walk(child, [*around, node])

    yield from walk(ast.parse(module.read_text(encoding="utf-8")), [])


def test_messages_in_code_are_literal_whole_sentences():
    wrong = []
    for module in MODULES:
        for call, around in calls(module):
            first = call.args[0]
            by_title = isinstance(first, ast.Call) and getattr(first.func, "id", "") == "title_of"
            by_regular_expression = module.parts[-2:] == ("embed", "views.py")  # whose sentences are marked in embed.js
            is_text = isinstance(first, ast.Constant) and isinstance(first.value, str)
            is_found = is_text or by_title or by_regular_expression
            # Babel reads no f-strings before Python 3.12.
            if not is_found or any(isinstance(one, ast.JoinedStr) for one in around):
                wrong.append(f"{module.relative_to(ROOT)}:{call.lineno}")
            if isinstance(first, ast.Constant) and re.search(r"%[sd]|\{", str(first.value)):
                wrong.append(f"{module.relative_to(ROOT)}:{call.lineno}: name what is put in")
    assert wrong == []


def test_labels_and_messages_of_form_fields_are_marked():
    wrong = []
    for module in MODULES:
        for node in ast.walk(ast.parse(module.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            shown = [*node.args[:1]] if name.endswith("Field") and name != "Field" else []
            shown += [one.value for one in node.keywords if one.arg in {"notice", "missing", "legend", "hint"}]
            wrong += [
                f"{module.relative_to(ROOT)}:{node.lineno}: {one.value}"
                for one in shown
                if isinstance(one, ast.Constant) and isinstance(one.value, str) and _WORD.search(one.value)
            ]
    assert wrong == []


def test_scripts_take_their_texts_from_the_page():
    shown = re.compile(
        r'(?:textContent|innerText|title|ariaLabel|alt)\s*[:=]\s*"[^"]*[A-Za-z]{2}|aria-label", *"[A-Za-z]'
    )
    wrong = [
        f"{script.name}: {line.strip()}"
        for script in SCRIPTS
        for line in script.read_text(encoding="utf-8").splitlines()
        if shown.search(line)
    ]
    assert wrong == []
