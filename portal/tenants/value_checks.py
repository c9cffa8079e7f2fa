"""Messages for mistakes in a tenant file, in our own words: what was expected, never the value that was found."""

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

from pydantic import TypeAdapter

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


Schema = dict[str, Any]


class Names:
    """The setting names of the dataclass that a file is parsed into."""

    def __init__(self, shape: type) -> None:
        self._root: Schema = TypeAdapter(shape).json_schema()

    def instead_of(self, path: Sequence[str]) -> str:
        """Return the message for an unknown name: the most similar setting, or all that are possible there."""
        *section, name = path
        known = sorted(self._at(section).get("properties", {}))
        near = get_close_matches(name, known, n=1, cutoff=0.6)
        if near:
            return f"no such setting; is {near[0]} meant?"
        return f"no such setting; expected one of {', '.join(known)}" if known else "no such setting"

    def every(self) -> list[str]:
        """Return every name with its section: `site.quote.by`. A section with free names is listed as one name."""
        return sorted(self._below(self._root, ""))

    def _at(self, section: Sequence[str]) -> Schema:
        here = self._root
        for part in section:
            here = self._section(here.get("properties", {}).get(part) or here.get("additionalProperties") or {})
        return here

    def _section(self, schema: object) -> Schema:
        """Return the schema behind references, lists and alternatives."""
        if not isinstance(schema, dict):
            return {}
        if "$ref" in schema:
            found: Schema = self._root["$defs"][schema["$ref"].rpartition("/")[2]]
            return found
        for inner in (schema.get("items"), *schema.get("anyOf", ()), *schema.get("allOf", ())):
            if (below := self._section(inner)).get("properties"):
                return below
        return schema

    def _below(self, schema: Schema, prefix: str) -> Iterator[str]:
        for name, one in schema.get("properties", {}).items():
            section = self._section(one)
            if section.get("properties"):
                yield from self._below(section, f"{prefix}{name}.")
            else:
                yield f"{prefix}{name}"
