"""The public operations §4.8 and §4.10. They need no API key and ignore one that is sent.

Requests are limited per minute and network (a /24 of IPv4 or a /48 of IPv6).
"""

from flask import Blueprint, Response, g, request

from portal.contract.operations import SUBMIT_APPLICATION, UPDATE_CANDIDATE
from portal.platform.clock import Clock
from portal.platform.database.db import Database
from portal.platform.rate_limits import wide_network_of
from portal.tracker import idempotency, request_reading, submissions
from portal.tracker.candidates import folded
from portal.tracker.idempotency import IdempotencyKey, RecordedResponse
from portal.tracker.keys import RequestLimit
from portal.tracker.shapes import Json

NAME = "public"


def blueprint(database: Database, clock: Clock, allowance: RequestLimit) -> Blueprint:
    """Return the blueprint of both operations. allowance: rate limit of a network, counted before the body is read."""
    pages = Blueprint(NAME, __name__)

    @pages.before_request
    def count() -> None:
        g.rate_limit = allowance.spend(wide_network_of(request.remote_addr))

    @pages.post("/<slug>/vacancy-portal/jobs/<posting_id>")
    def submit_application(slug: str, posting_id: str) -> Response:
        body = request_reading.body(request, SUBMIT_APPLICATION)
        asked = _asked(body, applicant=("email", folded(body["email"])))
        return _json(submissions.submit(database, clock, slug, posting_id, body, asked))

    @pages.post("/<slug>/candidate-portal/<candidate_id>")
    def update_candidate(slug: str, candidate_id: str) -> Response:
        body = request_reading.body(request, UPDATE_CANDIDATE)
        asked = _asked(body, applicant=("candidate", candidate_id))
        return _json(submissions.update(database, clock, slug, candidate_id, body, asked))

    return pages


def _asked(body: Json, *, applicant: tuple[str, str]) -> IdempotencyKey | None:
    return idempotency.once(request.headers.get("Idempotency-Key"), request.path, body, applicant=applicant)


def _json(answer: RecordedResponse) -> Response:
    return Response(answer.body, answer.status, content_type="application/json")
