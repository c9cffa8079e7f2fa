"""Base classes of the interface's shapes, Read and Write, and the annotations of their fields."""

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

from portal.contract import bounds

_DATE_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?([Zz]|[+-]\d{2}:?\d{2})?")


class Read(BaseModel):
    """A shape that is read. Any member may be absent or null, as §2.8 does not say which; unknown members are kept."""

    model_config = ConfigDict(
        alias_generator=to_camel, populate_by_name=True, extra="allow", frozen=True, allow_inf_nan=False
    )


class Write(BaseModel):
    """A shape that is sent: no unknown members, no type conversion. The service parses it by `model_validate_json`."""

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
        # Python code may use field names, but in JSON only aliases are members of the interface: `first_name` is
        # unknown.
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
"""The validation context that makes KnownValues reject other values."""


@dataclass(frozen=True, slots=True)
class KnownValues:
    """The complete list of values that the document gives. Readers accept other values too.

    Code that validates data for other readers passes the context EXACT, so that other values are rejected.
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
class ExampleValue:
    """An enum of which the document shows only one value, or none."""

    value: str | None = None


@dataclass(frozen=True, slots=True)
class _LeftOutNotNull:
    """A member that may be absent in JSON but not null; None in Python means absent."""

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
OptionalNotNull = Annotated[_T | None, _LeftOutNotNull()]
"""A member of a body that may be absent but not null."""

SentList = Annotated[list[_T], Field(max_length=bounds.ENTRIES_MAX)]
"""A list in a body. The document gives no maximum lengths for lists, so these are ours."""
ReadList = Annotated[list[_T], Field(max_length=bounds.RECORD_LIST_MAX)]
"""A list in a record that is read."""


def _aware(value: datetime) -> datetime:
    """Interpret a time without an offset as UTC: the document says ISO 8601 and does not mention time zones."""
    try:
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)
    except OverflowError as exc:
        raise ValueError("this instant is outside the years 1 to 9999 in UTC") from exc


def _date_time(value: object) -> object:
    """Accept only the written form of a date-time: pydantic would read numbers and digits as seconds since 1970."""
    if isinstance(value, datetime) or (isinstance(value, str) and _DATE_TIME.fullmatch(value)):
        return value
    raise ValueError("expected an ISO 8601 date-time such as 2026-03-01T09:30:00Z")


Timestamp = Annotated[datetime, AfterValidator(_aware)]
"""ISO 8601 date-time (§1)."""

SentTimestamp = Annotated[datetime, Field(strict=False), BeforeValidator(_date_time), AfterValidator(_aware)]
"""The same in a body: it is a string in JSON, so strict mode is off here."""


def view(constant: str, *, chosen: bool = False) -> Any:  # noqa: ANN401  pydantic's Field is typed so
    """Return the field `viewType` of a view wrapper (§1): always written as this constant, read with any value.

    chosen: the document gives no constant, so this one is ours, named like its neighbours.
    """
    return Field(default=constant, json_schema_extra={"const": constant, "x-chosen": chosen})
