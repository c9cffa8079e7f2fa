"""The names that a tenant file may have, section by section, as the model says them."""

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any

from pydantic import TypeAdapter

Schema = dict[str, Any]


class Names:
    """Of the dataclass that a file is read into."""

    def __init__(self, shape: type) -> None:
        self._root: Schema = TypeAdapter(shape).json_schema()

    def instead_of(self, path: Sequence[str]) -> str:
        """What to say of a name that is not known: the nearest one, or all that could stand there."""
        *section, name = path
        known = sorted(self._at(section).get("properties", {}))
        near = get_close_matches(name, known, n=1, cutoff=0.6)
        if near:
            return f"no such setting; is {near[0]} meant?"
        return f"no such setting; expected one of {', '.join(known)}" if known else "no such setting"

    def every(self) -> list[str]:
        """Every name, its section before it: `site.quote.by`. A section that has words of its own stands for them."""
        return sorted(self._below(self._root, ""))

    def _at(self, section: Sequence[str]) -> Schema:
        here = self._root
        for part in section:
            here = self._section(here.get("properties", {}).get(part) or here.get("additionalProperties") or {})
        return here

    def _section(self, schema: object) -> Schema:
        """What lies behind references, lists and alternatives."""
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
