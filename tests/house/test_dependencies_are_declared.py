"""Every import is a declared dependency, and every dependency is imported or has a comment that states its use."""

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

ROOT = Path(__file__).parents[2]
PYPROJECT = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
PROJECT = tomllib.loads(PYPROJECT)["project"]


def names(lines: list[str]) -> list[str]:
    return [re.split(r"[\[<>=!~; ]", line)[0] for line in lines]


REQUIRED = names(PROJECT["dependencies"])
EXTRA = names([line for each in PROJECT["optional-dependencies"].values() for line in each])
DECLARED = REQUIRED + EXTRA


def imported() -> dict[str, str]:
    """Distribution, as its name is normalised → a module of the product that imports it. Types alone do not count."""
    found: dict[str, str] = {}
    distributions = packages_distributions()
    for path in sorted((ROOT / "portal").rglob("*.py")):
        for package in _packages(ast.parse(path.read_text(encoding="utf-8"))) - sys.stdlib_module_names - {"portal"}:
            names = {re.sub(r"[-_.]+", "-", name).lower() for name in distributions.get(package, [package])}
            found[min(names, key=lambda name: (name not in DECLARED, name))] = str(path.relative_to(ROOT))
    return found


def _packages(tree: ast.Module) -> set[str]:
    checked_only = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for inner in ast.walk(node)
    }
    names: set[str] = set()
    for node in ast.walk(tree):
        if node in checked_only:
            continue
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add(node.module or "")
    return {name.split(".")[0] for name in names}


def test_every_import_is_a_declared_dependency():
    assert {name: where for name, where in imported().items() if name not in DECLARED} == {}


def test_every_dependency_is_imported_or_has_a_comment_on_its_use():
    unused = set(REQUIRED) - set(imported())
    silent = [name for name in sorted(unused) if not re.search(rf'"{name}\b.*# not imported: \w', PYPROJECT)]
    assert silent == []


def test_no_dependency_is_declared_twice():
    assert sorted(DECLARED) == sorted(set(DECLARED))
