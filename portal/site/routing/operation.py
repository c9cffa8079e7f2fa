"""The description of an API route, from which openapi.py builds the document."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel

Schema = Mapping[str, Any]
"""A JSON schema."""


@dataclass(frozen=True, slots=True)
class ApiParameter:
    """A parameter of the query, or a header. A list in the query repeats the name."""

    name: str
    description: str
    schema: Schema = field(default_factory=lambda: {"type": "string"})
    where: str = "query"


@dataclass(frozen=True, slots=True)
class ApiOperation:
    """An API route. name: in English, for a function in a client. status, answer: of success. refusals: error statuses
    beside 404.

    body: the JSON body of the request. file: the description of a body that is a file.
    """

    name: str
    summary: str
    description: str
    answer: type[BaseModel]
    status: int = 200
    parameters: tuple[ApiParameter, ...] = ()
    refusals: tuple[int, ...] = ()
    body: type[BaseModel] | None = None
    file: str | None = None
