"""The definitions in portal/contract as rows of facts that can be compared with rows of a table."""

import inspect
import re
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin

import annotated_types
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from portal.contract import applications, bodies, bounds, candidates, pipeline, shapes, vacancies
from portal.contract.model import ExampleValue, KnownValues, OptionalNotNull, Read, Write
from portal.contract.operations import OPERATIONS

FLATTENED = {shapes.StageStatus}
"""Shapes without a name of their own in the interface: their members are rows of whoever holds them."""
RESOURCES = (
    vacancies.Vacancy,
    vacancies.VacancyDetail,
    candidates.Candidate,
    applications.Application,
    applications.ApplicationSummary,
    pipeline.PipelineStage,
    vacancies.CreatedVacancy,
    vacancies.VacancyPage,
    candidates.CandidatePage,
    applications.VacancyApplications,
    pipeline.PipelineStages,
)
NEVER_NULL = get_args(OptionalNotNull)[1]


class Row(NamedTuple):
    """One member of one shape; the values are the terms that docs/interface.md uses."""

    member: str
    type: str
    required: str
    null: str
    length: str
    values: str


@dataclass
class Kind:
    """A type annotation taken apart."""

    base: Any = None
    array: bool = False
    null: bool = False
    marks: list[Any] = field(default_factory=list)


def shapes_of_the_code() -> dict[str, list[Row]]:
    """Class name → rows, for every shape that has a table."""
    return {model.__name__: list(rows(model)) for model in tabled()}


def tabled() -> list[type[BaseModel]]:
    shared = [model for model in _classes(shapes, Read) if model not in FLATTENED]
    return [*shared, *RESOURCES, *_classes(bodies, Write)]


def every_shape() -> list[type[BaseModel]]:
    """Return every class of the contract, including those without a separate table."""
    modules = (shapes, vacancies, candidates, applications, pipeline)
    return [model for module in modules for model in _classes(module, Read)] + _classes(bodies, Write)


def rows(model: type[BaseModel], prefix: str = "") -> Iterator[Row]:
    sent = issubclass(model, Write)
    parents = [] if prefix else [base for base in model.__bases__ if issubclass(base, Write) == sent]
    inherited = {name for parent in parents for name in getattr(parent, "model_fields", {})}
    for name, info in model.model_fields.items():
        if name in inherited or (prefix and _constant(info)):
            continue
        kind = _take_apart(info.annotation, Kind(marks=[*info.metadata, info]))
        path = f"{prefix}{info.alias}"
        shape = kind.base if inspect.isclass(kind.base) and issubclass(kind.base, BaseModel) else None
        flat = shape is not None and shape not in tabled()
        yield Row(
            path,
            ("array of " if kind.array else "") + _type(kind, shape, flat=flat),
            "yes" if info.is_required() else "no",
            "yes" if kind.null and NEVER_NULL not in kind.marks else "no",
            _length(kind),
            _values(kind, info, shape if flat else None),
        )
        if flat and shape is not None:
            yield from rows(shape, f"{path}{'[]' if kind.array else ''}.")


def limits_of_the_code() -> dict[str, tuple[int, int, int | None]]:
    """Name of limit in the document → least, most, default. Limits of our own have no least."""
    of_all = vars(bounds)
    names = sorted({name.rpartition("_")[0] for name in of_all if name.endswith(("_MIN", "_DEFAULT"))})
    return {n: (of_all[f"{n}_MIN"], of_all[f"{n}_MAX"], of_all.get(f"{n}_DEFAULT")) for n in names}


def additional_limits_of_the_code() -> dict[str, int]:
    """Name of each limit of our own → most."""
    in_the_document = {f"{name}_MAX" for name in limits_of_the_code()}
    found = {name: value for name, value in vars(bounds).items() if re.fullmatch("[A-Z][A-Z_]*_MAX(_TOKENS)?", name)}
    return {name: value for name, value in found.items() if name not in in_the_document}


def operations_of_the_code() -> dict[str, tuple[str, str, str, str, str]]:
    """Section → method, path, key, body, answer."""
    return {
        o.section: (
            o.method,
            o.path,
            "yes" if o.needs_key else "no",
            o.body.__name__ if o.body else "",
            o.answer.__name__ if o.answer else "",
        )
        for o in OPERATIONS
    }


def parameters_of_the_code() -> dict[tuple[str, str], tuple[str, str, str]]:
    """Section and name → type, format, required."""
    return {
        (o.section, p.name): (p.type, p.format or "", "yes" if p.required else "no")
        for o in OPERATIONS
        for p in o.query
    }


def _classes(module: types.ModuleType, parent: type[BaseModel]) -> list[type[BaseModel]]:
    found = (m for m in vars(module).values() if inspect.isclass(m) and issubclass(m, parent))
    return [m for m in found if m.__module__ == module.__name__]


def _take_apart(annotation: Any, kind: Kind) -> Kind:
    origin = get_origin(annotation)
    if origin is Annotated:
        inner, *marks = get_args(annotation)
        kind.marks += marks
        return _take_apart(inner, kind)
    if origin in {Union, types.UnionType}:
        (inner,) = [part for part in get_args(annotation) if part is not type(None)]
        kind.null = True
        return _take_apart(inner, kind)
    if origin is list:
        kind.array = True
        return _take_apart(get_args(annotation)[0], kind)
    kind.base = annotation
    kind.null = kind.null or annotation is Any
    return kind


def _type(kind: Kind, shape: type[BaseModel] | None, *, flat: bool) -> str:
    if shape is not None:
        return shape.__name__ if not flat else "view" if "view_type" in shape.model_fields else "object"
    if inspect.isclass(kind.base) and issubclass(kind.base, StrEnum):
        return "string"
    formats = [m.json_schema_extra["format"] for m in kind.marks if _extra(m).get("format")]
    name = {str: "string", float: "number", bool: "boolean", datetime: "date-time", Any: "any"}[kind.base]
    return formats[0] if formats else name


def _extra(mark: Any) -> dict[str, Any]:
    extra = mark.json_schema_extra if isinstance(mark, FieldInfo) else None
    return extra if isinstance(extra, dict) else {}


def _constant(info: FieldInfo) -> str:
    return str(_extra(info).get("const", ""))


def _length(kind: Kind) -> str:
    found: dict[str, int] = {}
    for mark in kind.marks:
        for part in mark.metadata if isinstance(mark, FieldInfo) else [mark]:
            if isinstance(part, annotated_types.MinLen):
                found["least"] = part.min_length
            if isinstance(part, annotated_types.MaxLen):
                found["most"] = part.max_length
    return (
        f"{found['least']} to {found['most']}" if "least" in found else ""
    )  # a maximum alone is the contract's own limit of a list


def lists_of_the_code() -> dict[str, int | None]:
    """Every list of every shape → its most entries."""
    found: dict[str, int | None] = {}
    for model in every_shape():
        for name, info in model.model_fields.items():
            kind = _take_apart(info.annotation, Kind(marks=[*info.metadata, info]))
            if kind.array:
                marks = [p for mark in kind.marks for p in (mark.metadata if isinstance(mark, FieldInfo) else [mark])]
                mosts = [part.max_length for part in marks if isinstance(part, annotated_types.MaxLen)]
                found[f"{model.__name__}.{name}"] = mosts[0] if mosts else None
    return found


def _values(kind: Kind, info: FieldInfo, shape: type[BaseModel] | None) -> str:
    bearer = shape.model_fields.get("view_type") if shape is not None else info
    if bearer is not None and _constant(bearer):
        return f"{'ours' if _extra(bearer)['x-chosen'] else 'is'} `{_constant(bearer)}`"
    if inspect.isclass(kind.base) and issubclass(kind.base, StrEnum):
        return ", ".join(f"`{value}`" for value in kind.base)
    for mark in kind.marks:
        if isinstance(mark, KnownValues):
            return ", ".join(f"`{value}`" for value in mark.values)
        if isinstance(mark, ExampleValue):
            return f"open, such as `{mark.value}`" if mark.value else "open"
    return ""
