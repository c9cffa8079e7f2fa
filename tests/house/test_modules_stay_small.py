"""Modules, templates and functions stay within their size limits, and so does the number of modules."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
MODULES = sorted(p for part in ("portal", "tests", "bench", "tools") for p in (ROOT / part).rglob("*.py"))
PRODUCT = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts): path
    for path in MODULES
    if path.is_relative_to(ROOT / "portal") and path.name != "__init__.py" and "migrations" not in path.parts
}
"""The modules of the product by their names, without packages' introductions and migrations."""
TEMPLATES = sorted((ROOT / "templates").rglob("*.*"))


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def longer_than(most: int, paths: list[Path]) -> list[str]:
    return [f"{path.relative_to(ROOT)}: {lines(path)} lines" for path in paths if lines(path) > most]


def test_modules_and_templates_are_found():
    assert len(MODULES) > 50
    assert len(TEMPLATES) > 5


def test_no_module_has_more_than_400_lines():
    assert longer_than(400, MODULES) == []


def test_no_template_has_more_than_150_lines():
    assert longer_than(150, TEMPLATES) == []


def test_no_module_of_the_product_has_more_than_300_lines():
    assert longer_than(300, list(PRODUCT.values())) == []


def test_few_modules_of_the_product_are_tiny_or_used_once():
    """Code that only one module uses, or that has fewer than thirty lines, belongs in an existing module."""
    hiring = {name for name in PRODUCT if name.startswith("portal.tracker.hiring.")}
    others = PRODUCT.keys() - hiring  # the other limits date from before the hiring pages were added
    once = sorted(name for name, importers in importers_of(PRODUCT).items() if len(importers) == 1 and name in others)
    short = sorted(name for name, path in PRODUCT.items() if lines(path) < 30)
    assert len(once) <= 70, "\n".join([f"{len(once)} modules are imported by one other:", *once])
    assert len(short) <= 25, "\n".join([f"{len(short)} modules have less than 30 lines:", *short])
    assert len(others) <= 380, f"{len(others)} modules"
    assert len(hiring) <= 25, f"{len(hiring)} modules of the hiring pages"


def importers_of(modules: dict[str, Path]) -> dict[str, set[str]]:
    """Return, for each module, the files of the product that import it or a name from it."""
    found: dict[str, set[str]] = {name: set() for name in modules}
    for path in MODULES:
        if path.is_relative_to(ROOT / "portal"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                for name in _imported(node):
                    if name in found and modules[name] != path:
                        found[name].add(str(path))
    return found


def _imported(node: ast.AST) -> list[str]:
    """Everything that a statement may import: `from a.b import c` is of a.b.c where there is one, and of a.b."""
    if isinstance(node, ast.Import):
        return [one.name for one in node.names]
    if isinstance(node, ast.ImportFrom) and node.module:
        names = [f"{node.module}.{one.name}" for one in node.names]
        return [name if name in PRODUCT else node.module for name in names]
    return []


def test_no_function_of_the_product_has_more_than_40_lines_of_code():
    long = []
    for path in MODULES:
        if not path.is_relative_to(ROOT / "portal") or "migrations" in path.parts:
            continue
        long += [
            f"{path.relative_to(ROOT)}:{node.lineno} {node.name} {_code_lines(node)}"
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _code_lines(node) > 40
        ]
    assert not long, "\n".join(long)


def _code_lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the lines of the body without docstring and nested functions."""
    inner = [n for n in ast.walk(node) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) and n is not node]
    nested = sum((n.end_lineno or n.lineno) - n.lineno + 1 for n in inner if not _inside_another(n, inner))
    body = node.body[1:] if ast.get_docstring(node) else node.body
    if not body:
        return 0
    return (node.end_lineno or 0) - body[0].lineno + 1 - nested


def _inside_another(node: ast.AST, others: list[ast.FunctionDef | ast.AsyncFunctionDef]) -> bool:
    return any(node is not other and node in ast.walk(other) for other in others)
