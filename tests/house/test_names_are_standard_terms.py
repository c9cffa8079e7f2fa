"""Class names are unique, and no name uses a former private term."""

import ast
import builtins
import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "portal").rglob("*.py"))
# Meaningless words, and words that only this code base used, each with its replacement.
FORBIDDEN = {
    "utils": "what it does",
    "common": "what it does",
    "helpers": "what it does",
    "manager": "what it does",
    "base": "what it does",
    "aloud": "log_fatal",
    "absence": "outage_log",
    "crew": "batching",
    "decide": "retry_policy",
    "front": "gateway",
    "glance": "overview",
    "heard": "listeners",
    "keepable": "cacheable",
    "letters": "mails",
    "lookout": "finder",
    "loud": "in_capitals",
    "mend": "advice, repair",
    "owed": "privacy_requests",
    "paperwork": "records",
    "passes": "sync",
    "pressing": "csrf",
    "quiet": "deferred_writes",
    "shelf": "generation",
    "silence": "timeouts",
    "straight": "prepared",
    "teller": "alert_sender",
    "unreachable": "diagnosis",
    "visits": "access_log",
    "walls": "sandbox",
}

# Words of FORBIDDEN that are ordinary inside a module, and tables that keep their original names.
PRIVATE_WORDS = set(FORBIDDEN) - {
    "base",
    "common",
    "decide",
    "front",
    "letters",
    "manager",
    "passes",
    "quiet",
    "silence",
    "straight",
}
TABLES = {"owed_requests"}


def repeated(names: list[tuple[str, str]]) -> list[str]:
    """name, place → a line for each name with more than one place."""
    places = defaultdict(list)
    for name, place in names:
        places[name].append(place)
    return [f"{name}: {', '.join(found)}" for name, found in sorted(places.items()) if len(found) > 1]


def classes() -> list[tuple[str, str]]:
    return [
        (node.name, f"{path.relative_to(ROOT)}:{node.lineno}")
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
    ]


def forbidden(path: Path) -> list[str]:
    return [word for part in path.with_suffix("").parts for word in part.split("_") if word in FORBIDDEN]


def defined(source: str) -> set[str]:
    """Names that a module defines, imports under another name, or takes as arguments."""
    names = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add(node.asname or "")
        elif isinstance(node, ast.arg):
            names.add(node.arg)
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            names.add(node.id if isinstance(node, ast.Name) else node.attr)
    return names


def private_words(source: str) -> set[str]:
    words = {name: re.split(r"_|(?<=[a-z])(?=[A-Z])", name) for name in defined(source)}
    return {name for name, parts in words.items() if PRIVATE_WORDS & {part.lower() for part in parts}}


def test_a_class_name_is_used_once():
    assert repeated(classes()) == []


def test_module_names_contain_no_private_terms():
    modules = [
        path.relative_to(ROOT) for path in MODULES if path.parent.name != "versions"
    ]  # migrations that have been run keep their names
    found = {str(path): forbidden(path) for path in modules}
    assert {place: words for place, words in found.items() if words} == {}


def test_names_in_modules_contain_no_private_terms():
    found = {
        str(path.relative_to(ROOT)): private_words(path.read_text(encoding="utf-8")) - TABLES
        for path in MODULES
        if path.parent.name != "versions"
    }
    assert {place: names for place, names in found.items() if names} == {}


def test_a_duplicate_class_name_is_detected():
    assert repeated([("Line", "a.py:1"), ("Line", "b.py:2"), ("Page", "a.py:9")]) == ["Line: a.py:1, b.py:2"]


@pytest.mark.parametrize("name", ["portal/outbox/crew.py", "portal/site/utils.py", "portal/web/base_form.py"])
def test_a_private_term_in_a_module_name_is_detected(name: str):
    assert forbidden(Path(name)) != []


def test_exceptions_named_in_docstrings_exist():
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in MODULES}
    nodes = [(path, node) for path, tree in trees.items() for node in ast.walk(tree)]
    known = {node.name for _, node in nodes if isinstance(node, ast.ClassDef)} | set(vars(builtins))
    known |= {alias.name for _, node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
    gone = [
        f"{path.relative_to(ROOT)}: {name}"
        for path, node in nodes
        if isinstance(node, ast.FunctionDef)
        for promised in re.findall(r"Raises ((?:[A-Z]\w+(?:, | and | or )?)+)", ast.get_docstring(node) or "")
        for name in re.findall(r"[A-Z]\w+", promised)
        if name not in known
    ]
    assert gone == []


def test_a_private_term_in_a_module_is_detected():
    source = "import pathlib as walls\ncrew_of = 1\ndef heard(owed): ...\nclass LastVisits: ...\n"
    assert private_words(source) == {"walls", "crew_of", "heard", "owed", "LastVisits"}
