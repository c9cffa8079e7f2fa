"""Rooms that one person can keep in mind: modules under 400 lines, templates under 150, functions under 40."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
MODULES = sorted(p for part in ("portal", "tests", "bench", "tools") for p in (ROOT / part).rglob("*.py"))
TEMPLATES = sorted((ROOT / "templates").rglob("*.*"))


def lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


def longer_than(most: int, paths: list[Path]) -> list[str]:
    return [f"{path.relative_to(ROOT)}: {lines(path)} lines" for path in paths if lines(path) > most]


def test_there_is_something_to_measure():
    assert len(MODULES) > 50
    assert len(TEMPLATES) > 5


def test_no_module_has_more_than_400_lines():
    assert longer_than(400, MODULES) == []


def test_no_template_has_more_than_150_lines():
    assert longer_than(150, TEMPLATES) == []


def test_modules_of_the_product_have_about_300_lines_at_most():
    """A handful may be longer, where a table of facts is."""
    long = longer_than(300, [path for path in MODULES if path.is_relative_to(ROOT / "portal")])
    assert len(long) <= 4, long


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
    """Lines of the body without its docstring; functions inside it count for themselves."""
    inner = [n for n in ast.walk(node) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef) and n is not node]
    nested = sum((n.end_lineno or n.lineno) - n.lineno + 1 for n in inner if not _inside_another(n, inner))
    body = node.body[1:] if ast.get_docstring(node) else node.body
    if not body:
        return 0
    return (node.end_lineno or 0) - body[0].lineno + 1 - nested


def _inside_another(node: ast.AST, others: list[ast.FunctionDef | ast.AsyncFunctionDef]) -> bool:
    return any(node is not other and node in ast.walk(other) for other in others)
