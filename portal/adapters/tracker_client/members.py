"""Selects the fields of a record that are read. Others are dropped first, so errors in unused fields do no harm."""

from collections.abc import Mapping
from typing import TypeAlias

FieldSelection: TypeAlias = Mapping[str, "FieldSelection | None"]
"""Field names as in the interface → None for the whole value, else the fields to read of it (or of each list item)."""


def only(content: object, members: FieldSelection) -> object:
    """Return the record, or each record of a list, with these fields only; leave other values unchanged."""
    if isinstance(content, list):
        return [_of(each, members) for each in content]
    return _of(content, members)


def _of(content: object, members: FieldSelection) -> object:
    if not isinstance(content, dict):
        return content
    return {
        name: content[name] if inner is None else only(content[name], inner)
        for name, inner in members.items()
        if name in content
    }
