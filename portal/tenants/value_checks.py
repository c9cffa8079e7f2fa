"""Messages for mistakes in a tenant file, in our own words: what was expected, never the value that was found."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

_SECTION = "expected a section of its own, such as [{name}]"
_BY_TYPE: Mapping[str, str] = MappingProxyType(
    {
        "string_type": "expected text in quotes",
        "string_too_short": "expected text, and there is none",
        "string_too_long": "expected at most {max_length} characters",
        "int_type": "expected a whole number, without quotes",
        "int_parsing": "expected a whole number, without quotes",
        "int_from_float": "expected a whole number, without quotes",
        "greater_than_equal": "expected {ge} or more",
        "less_than_equal": "expected {le} or less",
        "bool_type": "expected true or false, without quotes",
        "bool_parsing": "expected true or false, without quotes",
        "literal_error": "expected {expected}",
        "enum": "expected {expected}",
        "too_long": "expected at most {max_length}, and there are {actual_length}",
        "too_short": "expected at least {min_length}",
        "dict_type": _SECTION,
        "dataclass_type": _SECTION,
    }
)
_OF_SYNTAX = (
    (r"Illegal character '\\n'|Unterminated", "the quote that ends the text is missing"),
    ("Invalid value", "behind = stands text in quotes, a number, true, false or a list"),
    ("Invalid statement|Expected '=' after a key", "expected NAME = VALUE, or a [section]"),
    (
        "Cannot overwrite a value|Cannot declare|Cannot mutate|Duplicate inline",
        "the same name stands there twice: keep one",
    ),
    ("Unclosed array", "the ] that ends the list is missing"),
    ("Expected ']'|Expected ']]'", "the ] that ends the section's name is missing"),
    ("Expected newline or end of document", "there is more behind the value: one setting a line, text in quotes"),
)


def of_value(error: Any) -> str:  # noqa: ANN401  pydantic's ErrorDetails, which it does not export
    """Return the message for a value that pydantic rejected."""
    kind, path, context = error["type"], error["loc"], error.get("ctx", {})
    if kind == "value_error":
        return str(context["error"])
    if kind == "missing":
        return _missing(path)
    name = ".".join(str(part) for part in path if isinstance(part, str))
    return _BY_TYPE.get(kind, "expected something else: see the table of settings").format(**context, name=name)


def _missing(path: tuple[Any, ...]) -> str:
    if isinstance(path[-1], int):
        return 'expected pairs such as ["About us", "https://www.acme.example"]'
    if len(path) > 1:
        return "it is missing in this section"
    return 'it is missing: name = "…" stands above all sections' if path[0] == "name" else f"[{path[0]}] is missing"


def of_syntax(message: str) -> str:
    """Return the message for text that tomllib rejected: "line N: not TOML: what was expected"."""
    found = re.search(r"\(at line (\d+), column \d+\)", message)
    where = f"line {found[1]}: " if found else "at its end: "
    bare = re.sub(r" *[(]at .*[)]", "", message)
    return f"{where}not TOML: {next((says for pattern, says in _OF_SYNTAX if re.search(pattern, bare)), bare)}"
