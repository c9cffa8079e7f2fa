"""Records as JSON: what they look like when they have nothing to show, and how they are written.

One rule: every member of the interface is there. A list without entries is [], a view wrapper carries its viewType and
an empty inside, anything else without a value is null. What a record says itself is left as it is.
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
    """Compact JSON text."""
    if type(value) is str:
        return encode_basestring(value)  # what the encoder comes to, a third of the time
    return _ENCODER.encode(value)


@dataclass(frozen=True)
class _Member:
    name: str
    shape: type[Read] | None
    is_list: bool
    constant: str | None

    @cached_property
    def key(self) -> str:
        """Its name as JSON text, up to its value."""
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
    """The record with every member of its shape, nested ones too; unknown members stay, at the end."""
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
    """What `written(completed(shape, record))` gives, without building it: what is empty is text already."""
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
    """For a record with these members: each one's text up to its value, its name and shape; and the text at the end."""
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
    """The members of a shape as they are called in JSON."""
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
    """What a type is once None, marks and list are taken off, and whether it was a list."""
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
    """The members of an empty wrapper."""
    return tuple((member.name, member.empty()) for member in _members(shape))


@cache
def _is_wrapper(shape: type[Read]) -> bool:
    """A wrapper has its viewType first; records such as an application's vacancy carry one among other members."""
    if "view_type" not in shape.model_fields:
        return False
    return next(iter(shape.model_fields)) == "view_type" or len(shape.model_fields) == 2  # state has it second
