"""Records with every member filled, made from the contract itself."""

import itertools
from datetime import datetime
from typing import Any, get_args, get_origin

from pydantic.fields import FieldInfo

from portal.contract.model import KnownValues, Read

Json = dict[str, Any]
_numbers = itertools.count(1)


def record(shape: type[Read]) -> Json:
    """A record of this shape; every id in it is new, every list has one entry."""
    return {
        str(field.alias): _value(str(field.alias), field.annotation, field) for field in shape.model_fields.values()
    }


def paths(shape: type[Read], before: str = "") -> set[str]:
    """Return the paths of all members of a shape, with nested ones: `team.team[].userId`."""
    found = set()
    for field in shape.model_fields.values():
        kind, is_list, _ = _kind(field.annotation)
        here = f"{before}{field.alias}{'[]' if is_list else ''}"
        found |= {here}
        if isinstance(kind, type) and issubclass(kind, Read):
            found |= paths(kind, here + ".")
    return found


def paths_of(value: object, before: str = "") -> set[str]:
    """Return the same for a JSON value, without the contents of members of any type."""
    found: set[str] = set()
    if not isinstance(value, dict):
        return found
    for name, inside in value.items():
        is_list = isinstance(inside, list)
        here = f"{before}{name}{'[]' if is_list else ''}"
        if name == "value":
            here = f"{before}value"
        found.add(here)
        if name != "value":
            for entry in inside if is_list else [inside]:
                found |= paths_of(entry, here + ".")
    return found


def _value(name: str, annotation: Any, field: FieldInfo | None) -> Any:
    extra = field.json_schema_extra if field is not None else None
    if isinstance(extra, dict) and "const" in extra:
        return extra["const"]
    kind, is_list, marks = _kind(annotation)
    known = next((mark for mark in marks if isinstance(mark, KnownValues)), None)
    if is_list or known is not None:
        return [_value(name, kind, None)] if known is None else known.values[-1]
    if isinstance(kind, type) and issubclass(kind, Read):
        return record(kind)
    if kind is str:
        # Ids are part of URLs, and httpx.WSGITransport supports only ASCII there.
        return f"{name}-{next(_numbers)}" + ("" if name == "id" else " é")
    return {datetime: "2026-03-01T09:30:00.120+02:00", bool: True, float: 3.5, Any: {"any": ["thing", None, 1]}}[kind]


def _kind(annotation: Any) -> tuple[Any, bool, tuple[Any, ...]]:
    if hasattr(annotation, "__metadata__"):
        kind, is_list, marks = _kind(get_args(annotation)[0])
        return kind, is_list, (*marks, *annotation.__metadata__)
    args = get_args(annotation)
    if get_origin(annotation) is list:
        return args[0], True, ()
    if args:
        return _kind(next(arg for arg in args if arg is not type(None)))
    return annotation, False, ()
