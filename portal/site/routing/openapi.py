"""The OpenAPI 3.1 document of the public API, built from the routes and the models of their responses."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache

from flask import Blueprint, Flask, Response, jsonify, make_response, render_template
from pydantic import BaseModel
from pydantic.json_schema import JsonSchemaMode
from werkzeug.routing import Rule

from portal.contract import openapi
from portal.contract.bounds import PUBLIC_ID, SLUG
from portal.contract.openapi import ApiOperation, ApiParameter, Json
from portal.site.routing.access import operation_of, public
from portal.site.routing.problems import Problem

_SEGMENTS = {
    "slug": ("slug", "The company's name in addresses.", SLUG, "example"),
    "posting_id": ("postingId", "Of a job, as the list has it.", PUBLIC_ID, "job-17"),
}
"""Names in routes → name, description, pattern and example in the document."""
_ABOUT = (
    "Open jobs as data, and applications from a front end of a company's own. Scripts of other sites may ask where the "
    "company lists their origin; servers need no permission, and nobody needs a key."
)


def document(app: Flask, *, base_url: str) -> Json:
    """Return the document for a portal at this address."""
    operations: list[tuple[str, str, ApiOperation]] = []
    shapes: dict[type[BaseModel], JsonSchemaMode] = {Problem: "serialization"}
    for rule, operation in _operations(app):
        if isinstance(operation.answer, type):
            shapes[operation.answer] = "serialization"
        if operation.body:
            shapes[operation.body] = "validation"
        methods = sorted((rule.methods or set()) - {"HEAD", "OPTIONS"})
        operations += ((method, _path(rule), operation) for method in methods)
    defined = openapi.schemas(shapes)
    for schema in defined.values():
        schema.pop("title", None)
    info = {"title": "Jobs and applications", "version": "1", "description": _ABOUT}
    return openapi.document(info, base_url, operations, {"schemas": defined})


def _operations(app: Flask) -> Iterator[tuple[Rule, ApiOperation]]:
    """Yield each operation with the parameters of its path, and with 404, which every address may answer."""
    for rule in sorted(app.url_map.iter_rules(), key=lambda one: one.rule):
        operation = operation_of(app.view_functions[rule.endpoint])
        if operation:
            parameters = (*map(_segment, re.findall(r"<(\w+)>", rule.rule)), *operation.parameters)
            yield rule, replace(operation, parameters=parameters, refusals=(404, *operation.refusals))


def _path(rule: Rule) -> str:
    return re.sub(r"<(\w+)>", lambda found: "{" + _SEGMENTS[found[1]][0] + "}", rule.rule)


def _segment(name: str) -> ApiParameter:
    name_shown, description, pattern, example = _SEGMENTS[name]
    schema = {"type": "string", "pattern": f"^{pattern.pattern}$"}
    return ApiParameter(name_shown, description, schema, where="path", required=True, example=example)


def _indented(example: Json) -> str:
    return json.dumps(example, indent=2, ensure_ascii=False)


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
        return make_response(render_template("describing/reference.html", api=described(), json=_indented))

    return pages
