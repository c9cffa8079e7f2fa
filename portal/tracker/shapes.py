"""Records as JSON: how members without a value are filled in, and how JSON is written.

Every member of the interface is always present. A list without entries is [], a view wrapper has its viewType and empty
content, anything else without a value is null. Values in the record itself are left unchanged.
"""

import json
import types
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from json.encoder import encode_basestring
from typing import Annotated, Any, Union, get_args, get_origin

from portal.contract.model import Read

Json = dict[str, Any]


_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def written(value: object) -> str:
    """Return the value as compact JSON text."""
    if type(value) is str:
        return encode_basestring(value)  # the same result as the encoder's, in a third of the time
    return _ENCODER.encode(value)


@dataclass(frozen=True)
class _Member:
    name: str
    shape: type[Read] | None
    is_list: bool
    constant: str | None

    @cached_property
    def key(self) -> str:
        """The member's name as JSON text with its colon."""
        return f"{written(self.name)}:"

    def empty(self) -> object:
        if self.constant is not None:
            return self.constant
        if self.is_list:
            return []
        if self.shape is not None and _is_wrapper(self.shape):
            return {name: [] if value == [] else value for name, value in _blank(self.shape)}
        return None


def completed(shape: type[Read], record: Json) -> Json:
    """Return the record with every member of its shape, also in nested shapes; unknown members follow at the end."""
    whole: Json = {}
    for member in _members(shape):
        if member.name not in record:
            whole[member.name] = member.empty()
            continue
        value = record[member.name]
        if member.shape is not None:
            if isinstance(value, dict):
                value = completed(member.shape, value)
            elif isinstance(value, list):
                value = [completed(member.shape, entry) if isinstance(entry, dict) else entry for entry in value]
        whole[member.name] = value
    for name, value in record.items():
        whole.setdefault(name, value)
    return whole


def rendered(shape: type[Read], record: Json) -> str:
    """Return the text of `written(completed(shape, record))` without building that dict; empty members are prepared."""
    parts, end = _plan(shape, tuple(record))
    return "".join([before + _inside(inner, record[name]) for before, name, inner in parts]) + end


def _inside(shape: type[Read] | None, value: object) -> str:
    if shape is not None:
        if isinstance(value, dict):
            return rendered(shape, value)
        if isinstance(value, list):
            return "[" + ",".join([rendered(shape, e) if isinstance(e, dict) else written(e) for e in value]) + "]"
    return written(value)


_Part = tuple[str, str, type[Read] | None]


@lru_cache(maxsize=256)
def _plan(shape: type[Read], has: tuple[str, ...]) -> tuple[tuple[_Part, ...], str]:
    """Plan the text of records with these members: text before the value, name and shape of each; the closing text."""
    parts: list[_Part] = []
    text, known = "", names(shape)
    for member in _members(shape):
        if member.name in has:
            parts.append((text + member.key, member.name, member.shape))
            text = ","
        else:
            text += f"{member.key}{written(member.empty())},"
    for name in has:
        if name not in known:
            parts.append((f"{text}{written(name)}:", name, None))
            text = ","
    if not parts:
        return (), "{" + text.removesuffix(",") + "}"
    before, name, inner = parts[0]
    return (("{" + before, name, inner), *parts[1:]), text.removesuffix(",") + "}"


@cache
def names(shape: type[Read]) -> frozenset[str]:
    """Return the JSON names of a shape's members."""
    return frozenset(member.name for member in _members(shape))


@cache
def _members(shape: type[Read]) -> tuple[_Member, ...]:
    found = []
    for field in shape.model_fields.values():
        kind, is_list = _kind(field.annotation)
        extra = field.json_schema_extra
        constant = extra.get("const") if isinstance(extra, dict) else None
        found.append(
            _Member(
                name=field.alias or "",
                shape=kind if isinstance(kind, type) and issubclass(kind, Read) else None,
                is_list=is_list,
                constant=constant if isinstance(constant, str) else None,
            )
        )
    return tuple(found)


def _kind(annotation: object) -> tuple[object, bool]:
    """Return a type without None, annotations and list, and whether it was a list."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return _kind(get_args(annotation)[0])
    if origin in {Union, types.UnionType}:
        return _kind(next(part for part in get_args(annotation) if part is not type(None)))
    if origin is list:
        return _kind(get_args(annotation)[0])[0], True
    return annotation, False


@cache
def _blank(shape: type[Read]) -> tuple[tuple[str, object], ...]:
    """Return the members of an empty view wrapper."""
    return tuple((member.name, member.empty()) for member in _members(shape))


@cache
def _is_wrapper(shape: type[Read]) -> bool:
    """Return whether the shape is a view wrapper: viewType comes first. Other records have it among other members."""
    if "view_type" not in shape.model_fields:
        return False
    return next(iter(shape.model_fields)) == "view_type" or len(shape.model_fields) == 2  # ApplicationState's is second
