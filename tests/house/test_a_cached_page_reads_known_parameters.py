"""A parameter that a page reads is one of those with which pages are cached: others are taken for invented ones."""

import ast
from pathlib import Path

from portal.site import page_cache

SITE = Path(page_cache.__file__).parent
PRIVATE = {"again", "domain", "every", "key", "to", "token"}
"""Parameters of routes that are cached for nobody."""
IN_LOOPS = {"match[0]", "name"}
"""Where the name is no literal: OWN parameters, and names of embed/jobs.py that words/query.py reads too."""


def read_in(source: str) -> set[str]:
    """Return the names that a module reads from request.args, or from a variable or parameter that stands for it."""
    nodes = [*ast.walk(ast.parse(source))]
    given = {"request.args", "args"} | {
        ast.unparse(target)
        for node in nodes
        if isinstance(node, ast.Assign) and ast.unparse(node.value) == "request.args"
        for target in node.targets
    }
    names: list[ast.expr] = []
    for node in nodes:
        match node:
            case ast.Call(func=ast.Attribute(value=of, attr="get" | "getlist" | "pop"), args=[name, *_]):
                names += [name] if ast.unparse(of) in given else []
            case ast.Subscript(value=of, slice=name) | ast.Compare(left=name, ops=[ast.In()], comparators=[of]):
                names += [name] if ast.unparse(of) in given else []
    return {str(name.value) if isinstance(name, ast.Constant) else ast.unparse(name) for name in names}


def test_what_pages_read_is_known():
    read = {name for path in SITE.rglob("*.py") for name in read_in(path.read_text("utf-8"))}
    assert {"q", "limit", "skip", "v"} <= read
    assert read - PRIVATE - IN_LOOPS - page_cache._PARAMETERS == set()
    assert PRIVATE.isdisjoint(page_cache._PARAMETERS)


def test_a_parameter_is_found_however_it_is_read():
    assert read_in('request.args.get("a", "")\nasked = request.args\nasked.getlist("b")\n') == {"a", "b"}
    assert read_in('if "c" in request.args:\n    found = request.args["d"]\n') == {"c", "d"}
