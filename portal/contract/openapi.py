"""Builds OpenAPI 3.1 documents: the service's and the portal's, each from descriptions of its operations."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode, models_json_schema

Json = dict[str, Any]
Schema = Mapping[str, Any]
"""A JSON schema."""
REF = "#/components/schemas/"
PROBLEM_TYPE = "application/problem+json"
"""The media type of every error (RFC 9457); its schema in a document is named Problem."""
_BYTES = {"type": "string", "contentMediaType": "application/octet-stream"}
_BINARY = "application/octet-stream"
_FILE: Json = {
    _BINARY: {"schema": {"type": "string", "format": "binary"}},
    "multipart/form-data": {"schema": {"type": "object", "properties": {"cv": _BYTES}, "required": ["cv"]}},
}


@dataclass(frozen=True, slots=True)
class ApiParameter:
    """A parameter of the path or the query, or a header. A list in the query repeats the name."""

    name: str
    description: str = ""
    schema: Schema = field(default_factory=lambda: {"type": "string"})
    where: str = "query"
    required: bool = False
    example: object = None


@dataclass(frozen=True, slots=True)
class ApiOperation:
    """An operation. name: in English, for a function in a client. status, answer: of success. refusals: error statuses.

    body: the JSON body of the request; body_limits: the limits that its schema cannot express. file: the description
    of a body that is a file. needs_key: None if the API has no keys. links: name → operation, its parameter, and an
    expression for its value, which every successful response has. example, body_example: a complete answer and body.
    """

    name: str
    summary: str
    description: str
    answer: type[BaseModel] | Schema
    status: int = 200
    parameters: tuple[ApiParameter, ...] = ()
    refusals: tuple[int, ...] = ()
    body: type[BaseModel] | None = None
    body_limits: str = ""
    file: str = ""
    needs_key: bool | None = None
    links: Mapping[str, tuple[str, str, str]] = field(default_factory=dict)
    example: BaseModel | None = None
    body_example: BaseModel | str | None = None


def document(info: Json, base_url: str, operations: Iterable[tuple[str, str, ApiOperation]], components: Json) -> Json:
    """Return the document of an API at this address. operations: each with its method and path."""
    paths: Json = {}
    for method, path, operation in operations:
        paths.setdefault(path, {})[method.lower()] = _described(operation)
    return {"openapi": "3.1.0", "info": info, "servers": [{"url": base_url}], "paths": paths, "components": components}


def schemas(shapes: Mapping[type[BaseModel], JsonSchemaMode]) -> Json:
    """Return the schemas of shapes by name, without the titles that pydantic derives from the names of members."""
    _, found = models_json_schema(list(shapes.items()), ref_template=REF + "{model}")
    for schema in found["$defs"].values():
        for member in schema.get("properties", {}).values():
            member.pop("title", None)
    defined: Json = found["$defs"]
    return defined


def _described(operation: ApiOperation) -> Json:
    success: Json = {"content": _content(operation.answer, example=operation.example)}
    if operation.links:
        success["links"] = {
            name: {"operationId": target, "parameters": {parameter: where}}
            for name, (target, parameter, where) in operation.links.items()
        }
    problem = {"content": _content({"$ref": REF + "Problem"}, PROBLEM_TYPE)}
    answers = {operation.status: success} | dict.fromkeys(sorted(set(operation.refusals)), problem)
    described: Json = {
        "operationId": operation.name,
        "summary": operation.summary,
        "description": operation.description,
        "parameters": [_parameter(one) for one in operation.parameters],
        "responses": {
            str(int(status)): {"description": HTTPStatus(status).phrase} | answer for status, answer in answers.items()
        },
    }
    if operation.needs_key is not None:
        described["security"] = [{"apiKey": []}] if operation.needs_key else []
    if operation.body or operation.file:
        content = _content(operation.body, example=operation.body_example) if operation.body else dict(_FILE)
        if operation.file and operation.body_example is not None:
            content[_BINARY] = content[_BINARY] | {"example": operation.body_example}
        described["requestBody"] = {"required": True} | _text(operation.body_limits or operation.file)
        described["requestBody"]["content"] = content
    return described


def _parameter(one: ApiParameter) -> Json:
    named = {"name": one.name, "in": one.where, "required": one.required}
    example = {} if one.example is None else {"example": one.example}
    return named | _text(one.description) | {"schema": dict(one.schema)} | example


def _text(description: str) -> Json:
    return {"description": description} if description else {}


def _content(
    shape: type[BaseModel] | Schema, media_type: str = "application/json", example: BaseModel | str | None = None
) -> Json:
    content: Json = {"schema": {"$ref": REF + shape.__name__} if isinstance(shape, type) else shape}
    if isinstance(example, BaseModel):
        content["example"] = example.model_dump(mode="json", by_alias=True)
    return {media_type: content}
