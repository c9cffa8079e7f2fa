"""The OpenAPI 3.1 document of the public API, built from the routes and the models of their responses."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from http import HTTPStatus
from typing import Any

from flask import Blueprint, Flask, Response, jsonify, make_response, render_template
from pydantic import BaseModel
from pydantic.json_schema import models_json_schema
from werkzeug.routing import Rule

from portal.contract.bounds import PUBLIC_ID, SLUG
from portal.site.routing.access import operation_of, public
from portal.site.routing.operation import ApiOperation
from portal.site.routing.problems import CONTENT_TYPE, Problem

Json = dict[str, Any]
_REF = "#/components/schemas/"
_SEGMENTS = {
    "slug": ("slug", "The company's name in addresses.", SLUG),
    "posting_id": ("postingId", "Of a job, as the list has it.", PUBLIC_ID),
}
"""Names in routes → name, description and pattern in the document."""
_ABOUT = (
    "Open jobs as data, and applications from a front end of a company's own. Scripts of other sites may ask where the "
    "company lists their origin; servers need no permission, and nobody needs a key."
)


def document(app: Flask, *, base_url: str) -> Json:
    """Return the document for a portal at this address."""
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


def _operations(app: Flask) -> Iterator[tuple[Rule, ApiOperation]]:
    for rule in sorted(app.url_map.iter_rules(), key=lambda one: one.rule):
        operation = operation_of(app.view_functions[rule.endpoint])
        if operation:
            yield rule, operation


def _path(rule: Rule) -> str:
    return re.sub(r"<(\w+)>", lambda found: "{" + _SEGMENTS[found[1]][0] + "}", rule.rule)


def _described(rule: Rule, operation: ApiOperation) -> Json:
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


def _parameters(operation: ApiOperation) -> Iterator[Json]:
    for one in operation.parameters:
        yield {
            "name": one.name,
            "in": one.where,
            "required": False,
            "description": one.description,
            "schema": dict(one.schema),
        }


def _plain(schemas: Json) -> Json:
    """Remove the titles that pydantic derives from names, which add nothing to them."""
    for schema in schemas.values():
        schema.pop("title", None)
        for member in schema.get("properties", {}).values():
            member.pop("title", None)
    return schemas


def blueprint(app: Flask, *, base_url: str) -> Blueprint:
    """Return the blueprint of GET /openapi.json, /api; the document is built once, when first requested."""
    pages = Blueprint("describing", __name__)
    described: Callable[[], Json] = cache(lambda: document(app, base_url=base_url))

    @pages.get("/openapi.json")
    @public
    def openapi() -> Response:
        return jsonify(described())

    @pages.get("/api")
    @public
    def reference() -> Response:
        return make_response(render_template("describing/reference.html", api=described()))

    return pages
