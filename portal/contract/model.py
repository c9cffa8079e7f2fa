"""What every shape of the interface is built from: Read, Write, and the marks on their fields."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel


class Read(BaseModel):
    """A shape that is read. §2.8: what may be absent or null is not shown, so anything may be; the unknown is kept."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="allow", frozen=True)


class Write(BaseModel):
    """A shape that is sent: exact, nothing unknown, no type bent into another."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True, strict=True)


@dataclass(frozen=True, slots=True)
class Known:
    """The complete list of values that the document gives. A reader meets others without failing."""

    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sample:
    """An enum of which the document shows one value only."""

    value: str | None = None


def _aware(value: datetime) -> datetime:
    """Take an instant without an offset as UTC: the document says ISO 8601 and nothing of zones."""
    return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


Timestamp = Annotated[datetime, AfterValidator(_aware)]
"""ISO 8601 date-time (§1)."""

SentTimestamp = Annotated[datetime, Field(strict=False), AfterValidator(_aware)]
"""The same in a body: it travels as a string, so strictness stops at its JSON type."""


def view(constant: str) -> Any:  # noqa: ANN401  pydantic's Field is typed so
    """The `viewType` of a view wrapper (§1): always written as this constant, read whatever it says."""
    return Field(default=constant, json_schema_extra={"const": constant})
