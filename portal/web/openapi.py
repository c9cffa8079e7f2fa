"""The OpenAPI 3.1 document of what is answered to programs, made of the routes and the models of their answers."""

import re
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

from flask import Flask
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from werkzeug.routing import Rule

from portal.tenants.values import PUBLIC_ID, SLUG
from portal.web.access import operation_of
from portal.web.operation import Operation
from portal.web.problems import CONTENT_TYPE, Problem

Json = dict[str, Any]
_REF = "#/components/schemas/"
_SEGMENTS = {
    "slug": ("slug", "The company's name in addresses.", SLUG),
    "posting_id": ("postingId", "Of a job, as the list has it.", PUBLIC_ID),
}
"""Names in routes: in the document, what it is, and its pattern."""
_ABOUT = (
    "Open jobs as data, and applications from a front end of a company's own. Scripts of other sites may ask where the "
    "company lists their origin; servers need no permission, and nobody needs a key."
)


def document(app: Flask, *, base_url: str) -> Json:
    """The whole document, for a portal at this address."""
    paths: Json = {}
    shapes: dict[type[BaseModel], str] = {Problem: "serialization"}
    for rule, operation in _operations(app):
        shapes[operation.answer] = "serialization"
        if operation.body:
            shapes[operation.body] = "validation"
        methods = (rule.methods or set()) - {"HEAD", "OPTIONS"}
        for method in sorted(methods):
            paths.setdefault(_path(rule), {})[method.lower()] = _described(rule, operation)
    modes: Any = list(shapes.items())
    _, found = models_json_schema(modes, ref_template=_REF + "{model}")
    return {
        "openapi": "3.1.0",
        "info": {"title": "Jobs and applications", "version": "1", "description": _ABOUT},
        "servers": [{"url": base_url}],
        "paths": paths,
        "components": {"schemas": _plain(found["$defs"])},
    }


def _operations(app: Flask) -> Iterator[tuple[Rule, Operation]]:
    for rule in sorted(app.url_map.iter_rules(), key=lambda one: one.rule):
        operation = operation_of(app.view_functions[rule.endpoint])
        if operation:
            yield rule, operation


def _path(rule: Rule) -> str:
    return re.sub(r"<(\w+)>", lambda found: "{" + _SEGMENTS[found[1]][0] + "}", rule.rule)


def _described(rule: Rule, operation: Operation) -> Json:
    told: Json = {
        "operationId": operation.name,
        "summary": operation.summary,
        "description": operation.description,
        "parameters": [*map(_segment, re.findall(r"<(\w+)>", rule.rule)), *_parameters(operation)],
        "responses": {
            str(operation.status): {
                "description": HTTPStatus(operation.status).phrase,
                "content": {"application/json": {"schema": {"$ref": _REF + operation.answer.__name__}}},
            }
        },
    }
    if operation.body:
        content = {"application/json": {"schema": {"$ref": _REF + operation.body.__name__}}}
        told["requestBody"] = {"required": True, "content": content}
    if operation.file:
        told["requestBody"] = {"required": True, "description": operation.file, "content": _FILE}
    for code in sorted({404, *operation.refusals}):
        content = {CONTENT_TYPE: {"schema": {"$ref": _REF + Problem.__name__}}}
        told["responses"][str(code)] = {"description": HTTPStatus(code).phrase, "content": content}
    return told


_BYTES = {"type": "string", "contentMediaType": "application/octet-stream"}
_FILE = {
    "application/octet-stream": {"schema": {"type": "string", "format": "binary"}},
    "multipart/form-data": {"schema": {"type": "object", "properties": {"cv": _BYTES}, "required": ["cv"]}},
}


def _segment(name: str) -> Json:
    told, description, pattern = _SEGMENTS[name]
    schema = {"type": "string", "pattern": f"^{pattern.pattern}$"}
    return {"name": told, "in": "path", "required": True, "description": description, "schema": schema}


def _parameters(operation: Operation) -> Iterator[Json]:
    for one in operation.parameters:
        yield {
            "name": one.name,
            "in": one.where,
            "required": False,
            "description": one.description,
            "schema": dict(one.schema),
        }


def _plain(schemas: Json) -> Json:
    """Without what pydantic makes of names, which says nothing that they do not."""
    for schema in schemas.values():
        schema.pop("title", None)
        for member in schema.get("properties", {}).values():
            member.pop("title", None)
    return schemas
