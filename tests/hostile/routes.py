"""The routes of the four applications, and what a request needs to pass their access checks.

A new route gets the tables of paths, queries, headers, cookies and methods automatically. It has to be listed here if
it has a parameter with another name, or accepts a body.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from flask import Flask
from werkzeug.routing import Rule

from tests.hostile.values import ANYTHING, HUGE, NUL, ODD, REFUSED, UNREADABLE, Statuses, one_of
from tests.tracker.office import vacancy_body

PORTAL, DESK, SERVICE, HIRING = "portal", "desk", "service", "hiring"


@dataclass(frozen=True, slots=True)
class Route:
    app: str
    method: str
    rule: str
    parameters: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.app}: {self.method} {self.rule}"


def routes_of(name: str, app: Flask) -> Iterator[Route]:
    for rule in sorted(app.url_map.iter_rules(), key=lambda one: one.rule):
        for method in sorted((rule.methods or set()) - {"HEAD", "OPTIONS"}):
            yield Route(name, method, rule.rule, _in_order(rule))


def _in_order(rule: Rule) -> tuple[str, ...]:
    return tuple(sorted(rule.arguments, key=lambda name: rule.rule.index(f"{name}>")))


OPEN = {"/<slug>/profile", "/<slug>/profile/code", "/<slug>/hiring", "/<slug>/hiring/code"}
"""Sign-in pages: who is signed in is led on from them."""
WITH_QUERY = {
    (PORTAL, "/<slug>/alerts/<alert>"): "key={alert_key}",
    (PORTAL, "/<slug>/alerts/<alert>/end"): "key={alert_key}",
    (PORTAL, "/<slug>/applications/<reference>/confirm"): "key={confirm_key}",
    (HIRING, "/<slug>/hiring/reply"): "to={application_id}",
}
"""Pages that open with a right query alone: route of a GET → that query."""
FILLED = {
    PORTAL: {"slug", "posting_id", "reference", "alert", "key", "digest", "number", "filename"},
    DESK: {"slug", "reference", "act", "name", "filename"},
    SERVICE: {"slug", "posting_id", "vacancy_id", "application_id", "candidate_id"},
    HIRING: {
        *("slug", "job_id", "vacancy_id", "application_id", "batch", "reference", "name", "form", "kind", "change"),
        "filename",
    },
}
"""Parameters of routes for which the premises have a value that exists."""


@dataclass(frozen=True, slots=True)
class Form:
    """A form that is posted to a route.

    fields: valid values; those of hidden fields come from `page`, a path with {} for parameters, "" for none.
    query: of the posted URL. cv: the name of the file's field; has_cv: whether a valid form has a file.
    answers: kind of text → statuses, if they differ from TEXTS_OF.
    """

    fields: dict[str, str]
    page: str = ""
    query: str = ""
    cv: str = ""
    multipart: bool = False
    has_cv: bool = False
    answers: dict[str, Statuses] = field(default_factory=dict)


TOKEN = "token"
"""The hidden field without which most forms are refused; also the kind of a bad text in it, whatever it is."""


@dataclass(frozen=True, slots=True)
class Document:
    """A JSON document that is posted to a route."""

    content: dict[str, Any]
    query: str = ""


Body = Form | Document

_APPLICATION = {
    "firstName": "Ada",
    "lastName": "Lovelace",
    "email": "ada@people.example",
    "phoneNumber": "030 1234567",
    "networkUrl": "https://network.example/in/ada",
    "city": "Berlin",
    "region": "",
    "postalCode": "10115",
    "country": "DE",
}
_RECORD = {
    "firstName": "Ada",
    "lastName": "Lovelace",
    "emails-0-email": "ada@people.example",
    "emails-0-purpose": "personal",
    "emails-0-isPrimary": "1",
    "phoneNumbers-0-phoneNumber": "+49301234567",
    "socialMedia-0-url": "https://network.example/ada",
    "emails-rows": "1",
    "emails-primary": "0",
}
_SUBMISSION: dict[str, Any] = {
    "networkUrl": None,
    "firstName": "Ada",
    "lastName": "Lovelace",
    "cvAttachmentId": "acme/cv-",
    "email": "ada@people.example",
    "phoneNumber": "+4915112345678",
    "location": {"type": "primary_home", "city": "Leipzig", "country": "DE"},
}
_UPDATE: dict[str, Any] = {
    "firstName": "Ada",
    "lastName": "Lovelace",
    "emails": [{"email": "ada@people.example", "purpose": "personal", "isPrimary": True}],
    "phoneNumbers": [{"phoneNumber": "+4915112345678"}],
    "socialMedia": [{"url": "https://network.example/ada", "type": "OTHER"}],
    "latestCvAttachmentId": "acme/cv-",
}
_VACANCY = vacancy_body()
_CANDIDATE: dict[str, Any] = {"firstName": "Grace", "lastName": "Hopper", "customAttributes": [], "education": []}

_PROFILE, _APPLY, _JOB_OF_HIRING = "/<slug>/profile", "/<slug>/jobs/<posting_id>/apply", "/jobs/<job_id>"
_NO_TOKEN, _NO_WAY_ROUND = {TOKEN: ANYTHING}, {TOKEN: one_of(413, 422)}
_REFUSED_TEXT = {NUL: one_of(422), UNREADABLE: one_of(422), HUGE: one_of(413, 422)}
_portal: dict[str, Body] = {
    "/<slug>/alerts": Form({"email": "a@people.example", "search": "q=nurse", "every": "week"}, "/{slug}/alerts"),
    "/<slug>/alerts/<alert>/end": Form({"List-Unsubscribe": "1"}, query="key={alert_key}", answers=_NO_TOKEN),
    "/<slug>/alerts/<alert>/keep": Form({"every": "day"}, query="key={alert_key}", answers=_NO_TOKEN),
    "/<slug>/applications/<reference>/confirm": Form({"key": "{confirm_key}"}),
    _APPLY: Form(
        _APPLICATION,
        "/{slug}/jobs/{posting_id}/apply",
        cv="cv",
        multipart=True,
        has_cv=True,
        answers=_REFUSED_TEXT | _NO_WAY_ROUND,
    ),
    f"{_APPLY}/kept": Form({"upload": "x" * 40}, "/{slug}/jobs/{posting_id}/apply"),
    _PROFILE: Form({"email": "a@people.example"}, "/{slug}/profile", answers=_REFUSED_TEXT),
    f"{_PROFILE}/alerts/<alert>/end": Form({}, "/{slug}/profile/applications"),
    f"{_PROFILE}/applications/<reference>/withdraw": Form({}, "/{slug}/profile/applications/{reference}/withdraw"),
    f"{_PROFILE}/code": Form({"code": "12345678"}, "/{slug}/profile/code"),
    f"{_PROFILE}/data": Form({"code": "12345678"}, "/{slug}/profile/data"),
    f"{_PROFILE}/edit": Form(_RECORD, "/{slug}/profile/edit", cv="cv", multipart=True),
    f"{_PROFILE}/erase": Form({"code": "12345678"}, "/{slug}/profile/erase"),
    f"{_PROFILE}/record": Form({"record": "x" * 40, "typed": "x" * 40}, "/{slug}/profile/erase"),
    f"{_PROFILE}/sign-out": Form({}),
    f"{_PROFILE}/undo": Form({"key": "x" * 43}),
    "/<slug>/uploads": Form({}, cv="cv", multipart=True, has_cv=True, answers=_NO_TOKEN),
    "/<slug>/uploads/checked": Form({"upload": "x" * 40}, "/{slug}/jobs/{posting_id}/apply"),
    "/<slug>/uploads/direct": Form({"size": "100", "name": "cv.pdf"}, "/{slug}/jobs/{posting_id}/apply"),
    "/<slug>/uploads/direct/file": Form({"upload": "x" * 40}, cv="file", multipart=True),
    "/<slug>/vacancy-portal/jobs/<posting_id>": Document(_SUBMISSION | {"cvAttachmentId": "{upload}"}),
}


def _of_hiring(page: str = "/account", /, **fields: str) -> Form:
    return Form(fields, f"/{{slug}}/hiring{page}")


_hiring: dict[str, Body] = {
    "": Form({"email": "owner@acme.example"}, "/{slug}/hiring"),
    "/code": Form({"code": "12345678"}, "/{slug}/hiring"),
    "/account": _of_hiring(locale="en", notify="none"),
    "/account/sessions": _of_hiring(),
    "/applications/<application_id>/erase": _of_hiring(),
    "/applications/<application_id>/notes": _of_hiring(note="A note."),
    "/applications/<application_id>/notes/delete": _of_hiring(note="1"),
    "/applications/<application_id>/rating": _of_hiring(rating="5"),
    "/applications/<application_id>/stage": _of_hiring(stage="offer", seen="new"),
    "/colleagues": _of_hiring(email="new@acme.example", role="reader"),
    "/colleagues/<any(role, remove):change>": _of_hiring(email="reader@acme.example", role="reader"),
    "/jobs/<job_id>": _of_hiring(
        "/jobs/{job_id}",
        title="Welder",
        place="Berlin",
        employment="fullTime",
        workplace="onsite",
        currency="EUR",
        salary_min="30000",
        salary_max="40000",
        starts="2026-07-01",
        ends="2026-08-01",
        description="Welds.",
        team="x",
    ),
    "/jobs/<job_id>/<any(publish, pause, close, duplicate, discard):name>": _of_hiring(
        "/jobs/{job_id}", **{"as": "closed"}
    ),
    "/jobs/<vacancy_id>/applications": _of_hiring(name="a", page="1"),
    "/jobs/<vacancy_id>/applications/seen": _of_hiring(until="1900000000000000"),
    "/jobs/<vacancy_id>/applications/stage": _of_hiring(
        to="{application_id}", seen="{application_id}:new", stage="offer"
    ),
    "/jobs/<vacancy_id>/export.<any(csv, json):form>": _of_hiring(),
    "/jobs/<vacancy_id>/replies/<batch>/undo": _of_hiring(),
    "/reply": _of_hiring(to="{application_id}", subject="x", body="y", kind="rejection", locale="en", then="preview"),
    "/requests/<reference>": _of_hiring(),
    "/settings": _of_hiring("/settings", sender="", retention_days="100"),
    "/sign-out": _of_hiring(),
    "/words/<any(received, invitation, rejection):kind>": _of_hiring(
        "/words/{kind}?locale=en", locale="en", subject="x", body="y"
    ),
}
_desk: dict[str, Body] = {
    "/requests/<reference>/done": Form({}, "/requests/{reference}/done"),
    "/submissions/<reference>/<any(retry,release,discard):act>": Form({}, "/submissions/{reference}"),
    "/tenants/<slug>/check": Form({}, "/tenants/{slug}"),
    "/tenants/<slug>/wake": Form({}, "/tenants/{slug}"),
}
_service: dict[str, Body] = {
    "/<slug>/candidate-portal/<candidate_id>": Document(_UPDATE),
    "/<slug>/vacancy-portal/jobs/<posting_id>": Document(_SUBMISSION),
    "/candidates": Document(_CANDIDATE),
    "/vacancies": Document(_VACANCY, "companyId={company}"),
}
_NOT_TAKEN = REFUSED | one_of(303)
TEXTS_OF: dict[str, dict[str, Statuses]] = {
    PORTAL: {NUL: ANYTHING, UNREADABLE: ANYTHING, HUGE: ANYTHING, ODD: ANYTHING, TOKEN: _NOT_TAKEN},
    DESK: {NUL: one_of(400), UNREADABLE: one_of(400), HUGE: one_of(413), ODD: one_of(400), TOKEN: one_of(400, 413)},
    HIRING: {
        NUL: one_of(400),
        UNREADABLE: ANYTHING,
        HUGE: one_of(413),
        ODD: ANYTHING,
        TOKEN: one_of(400, 413, 422),
    },
}
"""Application → kind of text → statuses."""
BODIES: dict[str, dict[str, Body]] = {
    PORTAL: _portal,
    DESK: _desk,
    SERVICE: _service,
    HIRING: {f"/<slug>/hiring{path}": body for path, body in _hiring.items()},
}
"""What each route that takes a body is posted; right as it stands, so that one bad value in it is what is met."""


_IS_REFUSED, _IS_IGNORED = one_of(400), one_of(200)
PARAMETERS: dict[tuple[str, str], dict[str, Statuses]] = {
    (SERVICE, "/candidates"): {"cursor": _IS_REFUSED, "limit": _IS_REFUSED},
    (SERVICE, "/vacancies"): {"cursor": _IS_REFUSED, "limit": _IS_REFUSED},
    (SERVICE, "/pipeline/applications/stages"): {"templateId": one_of(200, 400)},
    (PORTAL, "/<slug>/"): {"after": _IS_IGNORED, "within": _IS_IGNORED},
    (PORTAL, "/<slug>/jobs.json"): {"after": _IS_IGNORED, "limit": _IS_IGNORED},
    (PORTAL, "/v0/postings/<slug>"): {"skip": one_of(200, 400), "limit": one_of(200, 400)},
    (PORTAL, "/<slug>/places"): {"q": _IS_IGNORED},
    (DESK, "/submissions"): {"after": _IS_IGNORED, "from": _IS_IGNORED, "reference": one_of(200, 404)},
    (DESK, "/log"): {"before": _IS_IGNORED},
    (HIRING, "/<slug>/hiring/jobs"): {"page": one_of(200, 400)},
    (HIRING, "/<slug>/hiring/log"): {"before": one_of(200, 400)},
    (HIRING, "/<slug>/hiring/jobs/<vacancy_id>/applications"): {"page": one_of(200, 400), "stage": one_of(200, 400)},
    (HIRING, "/<slug>/hiring/reply"): {"to": one_of(400, 404, 303)},
}
"""Cursors, places and bounds of pages: route of a GET → parameter → what a wrong value is answered with."""

LENIENT: dict[str, Statuses] = {
    f"/<slug>/hiring{_JOB_OF_HIRING}": one_of(409),
    f"/<slug>/hiring{_JOB_OF_HIRING}/<any(publish, pause, close, duplicate, discard):name>": one_of(400),
    "/<slug>/hiring/jobs/<vacancy_id>/applications/seen": one_of(303),
    "/<slug>/hiring/jobs/<vacancy_id>/applications/stage": one_of(303),
    "/<slug>/hiring/jobs/<vacancy_id>/replies/<batch>/undo": one_of(303),
}
"""Posts that answer an id which nothing has as they answer one of what is gone already: route → that answer."""
