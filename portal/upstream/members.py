"""Which members of a record are read. The rest is dropped before it is looked at: what nobody reads can be wrong."""

from collections.abc import Mapping
from typing import TypeAlias

Members: TypeAlias = Mapping[str, "Members | None"]
"""By their names in the interface; None: with everything inside, else so much of it, or of each where it is a list."""


def only(content: object, members: Members) -> object:
    """The record, or each of a list of them, with these members alone; what is neither stays as it is."""
    if isinstance(content, list):
        return [_of(each, members) for each in content]
    return _of(content, members)


def _of(content: object, members: Members) -> object:
    if not isinstance(content, dict):
        return content
    return {
        name: content[name] if inner is None else only(content[name], inner)
        for name, inner in members.items()
        if name in content
    }
