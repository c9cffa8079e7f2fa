"""A package whose introduction lists its modules lists all of them, and none that does not exist."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = sorted(path.parent for path in (ROOT / "portal").rglob("__init__.py") if "migrations" not in path.parts)


def introduction(package: Path) -> str:
    return ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))) or ""


def listed(text: str) -> list[str]:
    """Return the names in the lists of a docstring. A line is `name name    what they are`, or nothing but names.

    A paragraph is such a list if its first line is; what is indented deeper continues the line above.
    """
    names: list[str] = []
    for paragraph in text.split("\n\n"):
        lines = paragraph.splitlines()
        if lines and re.match(r" *[a-z0-9_/]+(?:,? [a-z0-9_/]+)* {2,}\S", lines[0]):
            indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
            entries = [line.removeprefix(indent) for line in lines if not line.startswith(f"{indent} ")]
            names += [name for entry in entries for name in re.split(r",? ", entry.split("  ")[0])]
    return names


def modules(package: Path) -> set[str]:
    """Return the names of a package's modules and packages."""
    found = {path.stem for path in package.glob("*.py")} | {path.parent.name for path in package.glob("*/__init__.py")}
    return found - {"__init__"}


def is_there(name: str, package: Path) -> bool:
    return name in modules(package) or (package / name).is_dir()


LISTS = {package: listed(introduction(package)) for package in PACKAGES}


def test_lists_of_modules_are_found():
    assert sum(bool(names) for names in LISTS.values()) > 40


def test_a_listed_module_exists():
    gone = [
        f"{package.relative_to(ROOT)}: {n}"
        for package, names in LISTS.items()
        for n in names
        if not is_there(n, package)
    ]
    assert gone == []


def test_a_list_of_modules_is_complete():
    """A module that the introduction names elsewhere as `name.py`, `name/` or `name:` need not be in its list."""
    missing = [
        f"{package.relative_to(ROOT)}: {name}"
        for package, names in LISTS.items()
        if names
        for name in sorted(modules(package))
        if name not in names and not re.search(rf"\b{name}(\.py|[/:])", introduction(package))
    ]
    assert missing == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Title.\n\nviews    the routes\nform   its fields,\n       and text\n", ["views", "form"]),
        (
            "Title.\n\n    read write    both ways\n    long_name, other\n             of two lines",
            ["read", "write", "long_name", "other"],
        ),
        ("Title. Start with views.\n\nIt is used by others.\n", []),
        ("Title.\n\nviews    the routes\nform its fields\n", ["views", "form", "its", "fields"]),
    ],
)
def test_names_are_read_from_a_list(text: str, names: list[str]):
    assert listed(text) == names
