"""What every shape of the interface is built from: Read, Write, and the marks on their fields."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, InitErrorDetails, core_schema

_DATE_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})?")


class Read(BaseModel):
    """A shape that is read. §2.8: what may be absent or null is not shown, so anything may be; the unknown is kept."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="allow", frozen=True, allow_inf_nan=False
    )


class Write(BaseModel):
    """A shape that is sent: exact, nothing unknown, no type bent into another. Received by `model_validate_json`."""

    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="forbid",
        frozen=True,
        strict=True,
        allow_inf_nan=False,
    )

    @model_validator(mode="before")
    @classmethod
    def _only_names_of_the_interface(cls, value: object, info: ValidationInfo) -> object:
        # Python code fills shapes by field name; in JSON `first_name` is as unknown as any other word.
        if info.mode == "json" and isinstance(value, dict):
            aliases = {field.alias for field in cls.model_fields.values()}
            spelled_wrong = (value.keys() & cls.model_fields.keys()) - aliases
            if spelled_wrong:
                raise ValidationError.from_exception_data(
                    cls.__name__,
                    [InitErrorDetails(type="extra_forbidden", loc=(name,), input=None) for name in spelled_wrong],
                )
        return value


EXACT: dict[str, object] = {"exact": True}
"""The validation context in which a Known list is kept to."""


@dataclass(frozen=True, slots=True)
class Known:
    """The complete list of values that the document gives. A reader meets others without failing.

    Who writes what others will read validates with the context EXACT, and others are refused.
    """

    values: tuple[str, ...]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:  # noqa: ANN401  pydantic's signature
        return core_schema.with_info_after_validator_function(self._refuse_others, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return handler(schema) | {"enum": list(self.values)}

    def _refuse_others(self, value: str, info: ValidationInfo) -> str:
        if info.context is EXACT and value not in self.values:
            raise ValueError(f"expected one of {', '.join(self.values)}")
        return value


@dataclass(frozen=True, slots=True)
class Sample:
    """An enum of which the document shows one value only."""

    value: str | None = None


@dataclass(frozen=True, slots=True)
class _LeftOutNotNull:
    """In JSON the member has its type or is not there; None in Python says that it is not there."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:  # noqa: ANN401  pydantic's signature
        return core_schema.with_info_before_validator_function(_refuse_null, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        described = handler(schema)
        shapes = [shape for shape in described.get("anyOf", []) if shape != {"type": "null"}]
        return shapes[0] if len(shapes) == 1 else described


def _refuse_null(value: object, info: ValidationInfo) -> object:
    if value is None and info.mode == "json":
        raise ValueError("null is not allowed here: leave the member out")
    return value


_T = TypeVar("_T")
Maybe = Annotated[_T | None, _LeftOutNotNull()]
"""A member of a body that may be left out and may not be null."""


def _aware(value: datetime) -> datetime:
    """Take an instant without an offset as UTC: the document says ISO 8601 and nothing of zones."""
    try:
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError as exc:
        raise ValueError("this instant is outside the years 1 to 9999 in UTC") from exc


def _date_time(value: object) -> object:
    """Only what is written as a date-time: a number, or digits in a string, would be read as seconds since 1970."""
    if isinstance(value, datetime) or (isinstance(value, str) and _DATE_TIME.fullmatch(value)):
        return value
    raise ValueError("expected an ISO 8601 date-time such as 2026-03-01T09:30:00Z")


Timestamp = Annotated[datetime, AfterValidator(_aware)]
"""ISO 8601 date-time (§1)."""

SentTimestamp = Annotated[datetime, Field(strict=False), BeforeValidator(_date_time), AfterValidator(_aware)]
"""The same in a body: it travels as a string, so strictness stops at its JSON type."""


def view(constant: str, *, chosen: bool = False) -> Any:  # noqa: ANN401  pydantic's Field is typed so
    """The `viewType` of a view wrapper (§1): always written as this constant, read whatever it says.

    chosen: the document names no constant, so this one is ours, in its neighbours' style.
    """
    return Field(default=constant, json_schema_extra={"const": constant, "x-chosen": chosen})
