"""The names that a tenant file may have, and which one is meant by a name that it may not have."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any

from pydantic import TypeAdapter

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
