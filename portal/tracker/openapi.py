"""Builds the OpenAPI 3.1 document from contract/ and from what this service guarantees beyond it."""

from dataclasses import dataclass, field
from functools import cache
from http import HTTPStatus
from pathlib import Path

from flask import Blueprint, Response, render_template, url_for
from pydantic import BaseModel

from portal.contract import bounds, openapi
from portal.contract.model import Read, Write
from portal.contract.openapi import REF, ApiOperation, ApiParameter
from portal.contract.operations import OPERATIONS, Operation, Parameter
from portal.tracker.shapes import Json, written


@dataclass(frozen=True, slots=True)
class _Words:
    """Facts about an operation that the contract does not have; links as in ApiOperation."""

    name: str
    summary: str
    success: HTTPStatus = HTTPStatus.OK
    links: dict[str, tuple[str, str, str]] = field(default_factory=dict)


_WORDS = {
    "4.1": _Words("listVacancies", "List vacancies in the order in which they were modified"),
    "4.2": _Words("listCandidates", "List candidates in the order in which they were modified"),
    "4.3": _Words(
        "getVacancy",
        "One vacancy with its stage totals and custom attributes",
        links={"ItsApplications": ("listApplications", "vacancyId", "$response.body#/id")},
    ),
    "4.4": _Words(
        "createVacancy",
        "Create a vacancy for a company",
        HTTPStatus.CREATED,
        {
            "Get": ("getVacancy", "id", "$response.body#/id"),
            "ItsApplications": ("listApplications", "vacancyId", "$response.body#/id"),
            "Apply": ("submitApplication", "jobBoardPostingId", "$response.body#/id"),
        },
    ),
    "4.5": _Words(
        "createCandidate",
        "Create a candidate; the answer is the candidate's id",
        HTTPStatus.CREATED,
        {"Update": ("updateCandidate", "candidateId", "$response.body")},
    ),
    "4.6": _Words("listApplications", "A vacancy with all of its applications"),
    "4.7": _Words("getApplication", "One application in full"),
    "4.8": _Words("submitApplication", "Apply to a job posting, which is a vacancy that is open", HTTPStatus.CREATED),
    "4.9": _Words("listStages", "The stages of the application pipeline"),
    "4.10": _Words("updateCandidate", "Update one's own record"),
}
_ANSWERS_OF_OURS: dict[str, Json] = {
    "4.5": {"type": "string", "minLength": 1},
    "4.8": {"type": "object", "properties": {"received": {"const": True}}, "required": ["received"]},
    "4.10": {"type": "object", "properties": {"updated": {"const": True}}, "required": ["updated"]},
}
_PROBLEM: Json = {
    "type": "object",
    "description": "RFC 9457. `errors` names each member by a JSON pointer, or a query parameter by its name.",
    "properties": {
        "type": {"type": "string", "format": "uri-reference"},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string"},
        "errors": {
            "type": "array",
            "maxItems": bounds.ERRORS_MAX,
            "items": {
                "type": "object",
                "properties": {
                    "pointer": {"type": "string", "maxLength": bounds.POINTER_MAX},
                    "parameter": {"type": "string"},
                    "detail": {"type": "string"},
                },
                "required": ["detail"],
            },
        },
    },
    "required": ["type", "title", "status", "detail"],
}


_TEXT = "^[^\\u0000]*$"
_ANY_VALUE: Json = {
    "description": "Any JSON value of which every text can be stored.",
    "anyOf": [
        {"type": "null"},
        {"type": "boolean"},
        {"type": "number"},
        {"type": "string", "pattern": _TEXT},
        {"type": "array", "items": {"$ref": REF + "AnyValue"}},
        {
            "type": "object",
            "propertyNames": {"pattern": _TEXT},
            "additionalProperties": {"$ref": REF + "AnyValue"},
        },
    ],
}


def document(base_url: str) -> Json:
    """Return the OpenAPI document of a service at this URL."""
    info = {
        "title": "Recruitment tracking service",
        "version": "1",
        "description": "Vacancies, candidates and applications of a tenant, and the public side of both.",
    }
    components = {
        "schemas": _schemas() | {"Problem": _PROBLEM},
        "securitySchemes": {"apiKey": {"type": "apiKey", "in": "header", "name": "x-api-key"}},
    }
    operations = [(operation.method, operation.path, _described(operation)) for operation in OPERATIONS]
    return openapi.document(info, base_url, operations, components)


def _described(operation: Operation) -> ApiOperation:
    words = _WORDS[operation.section]
    keys = [] if operation.body is None or operation.needs_key else [_IDEMPOTENCY_KEY]
    return ApiOperation(
        words.name,
        words.summary,
        f"§{operation.section} of the interface.",
        operation.answer or _ANSWERS_OF_OURS[operation.section],
        words.success,
        (*_path_parameters(operation), *map(_query_parameter, operation.query), *keys),
        tuple(_refusals(operation)),
        body=operation.body,
        body_limits=_size_of(operation) if operation.body else "",
        needs_key=operation.needs_key,
        links=words.links,
    )


def _size_of(operation: Operation) -> str:
    """Describe the body limits that a schema cannot express."""
    return (
        f"At most {operation.body_most} bytes, {bounds.VALUES_MAX} values however they are nested, and "
        f"{bounds.DEPTH_MAX} levels of lists and objects."
    )


def _refusals(operation: Operation) -> set[int]:
    """Return the error statuses of an operation, by the parts of its request; 429 and 503 are always possible."""
    codes = {429, 503}
    if operation.needs_key:
        codes |= {401}
    if "{" in operation.path:
        codes |= {404}
    if operation.query:
        codes |= {400}
    if operation.body is not None:
        codes |= {400, 413, 415, 422}
        if not operation.needs_key:
            codes |= {409}
    return codes


_IDEMPOTENCY_KEY = ApiParameter(
    "Idempotency-Key",
    "An applicant's same key and body get the first answer again for seven days; another body gets 409.",
    {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$"},
    where="header",
)


def _path_parameters(operation: Operation) -> list[ApiParameter]:
    names = [part[1:-1] for part in operation.path.split("/") if part.startswith("{")]
    return [ApiParameter(name, where="path", required=True) for name in names]


def _query_parameter(parameter: Parameter) -> ApiParameter:
    schema: Json = {"type": parameter.type}
    if parameter.name == "cursor" and parameter.format is None:
        schema |= {"contentEncoding": "base64", "pattern": "^[0-9A-Za-z]{64}$"}
    if parameter.format is not None:
        schema["format"] = parameter.format
    if parameter.name == "limit":
        # The interface document says "number", but a fraction of a record makes no sense.
        least, most = bounds.PAGE_MIN, bounds.PAGE_MAX
        schema = {"type": "integer", "minimum": least, "maximum": most, "default": bounds.PAGE_DEFAULT}
    return ApiParameter(parameter.name, schema=schema, required=parameter.required)


def _schemas() -> Json:
    shapes = [shape for operation in OPERATIONS for shape in (operation.body, operation.answer) if shape is not None]
    schemas = openapi.schemas(dict.fromkeys(shapes, "validation"))
    schemas["AnyValue"] = _ANY_VALUE
    schemas["CustomAttributeBody"]["properties"]["value"] = {"$ref": REF + "AnyValue"}
    answers = {shape.__name__ for shape in _family(Read) if not issubclass(shape, Write)}
    for name, schema in schemas.items():
        for member in schema.get("properties", {}).values():
            member.pop("default", None)
            if name in answers and "const" in member:
                member.pop("anyOf", None)
        if name not in answers:
            _keep_nul_out(schema)
        if name in answers:
            # Every member is present in a response (docs/tracker.md).
            schema["required"] = list(schema.get("properties", {}))
    return schemas


def _keep_nul_out(schema: Json) -> None:
    """Forbid NUL in the schema's strings; one with a format, or with fixed values, cannot contain it anyway."""
    if schema.get("type") == "string" and not schema.keys() & {"format", "enum", "const"}:
        schema["pattern"] = _TEXT
    inside = [*schema.get("properties", {}).values(), *schema.get("anyOf", [])] + (
        [schema["items"]] if "items" in schema else []
    )
    for part in inside:
        _keep_nul_out(part)


def _family(shape: type[BaseModel]) -> list[type[BaseModel]]:
    return [kind for child in shape.__subclasses__() for kind in (child, *_family(child))]


_PAGES = Path(__file__).parent / "pages"
_POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"


def blueprint(base_url: str) -> Blueprint:
    """Return the blueprint of both descriptions, which are built on first use. base_url: the service's public URL."""
    pages = Blueprint("describing", __name__, template_folder=str(_PAGES))
    described = cache(lambda: document(base_url))
    text = cache(lambda: written(described()))
    style = (_PAGES / "reference.css").read_text(encoding="utf-8")

    @pages.get("/openapi.json")
    def openapi() -> Response:
        return Response(text(), content_type="application/json", headers={"Cache-Control": "max-age=300"})

    @pages.get("/")
    def reference() -> Response:
        content = render_template("reference.html", api=described(), style=url_for("describing.stylesheet"))
        return Response(content, content_type="text/html; charset=utf-8", headers={"Content-Security-Policy": _POLICY})

    @pages.get("/reference.css")
    def stylesheet() -> Response:
        return Response(style, content_type="text/css; charset=utf-8", headers={"Cache-Control": "max-age=3600"})

    return pages
