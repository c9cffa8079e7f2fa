"""What a route that answers data says of itself; openapi.py makes the description of all of them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

Schema = Mapping[str, Any]
"""A JSON schema."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """Of the query, or a header. A list in the query is its name several times."""

    name: str
    description: str
    schema: Schema = field(default_factory=lambda: {"type": "string"})
    where: str = "query"


@dataclass(frozen=True, slots=True)
class Operation:
    """name: in English, for a program's function. status, answer: of a success. refusals: statuses beside 404.

    body: of the request, as JSON. file: what a body is that is a file.
    """

    name: str
    summary: str
    description: str
    answer: type[BaseModel]
    status: int = 200
    parameters: tuple[Parameter, ...] = ()
    refusals: tuple[int, ...] = ()
    body: type[BaseModel] | None = None
    file: str | None = None
