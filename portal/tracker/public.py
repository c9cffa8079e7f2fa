"""The public operations: §4.8 and §4.10. No key is looked at; one that is sent along is ignored.

Each network, a /24 of IPv4 or a /56 of IPv6, may make so many requests a minute.
"""

from flask import Blueprint, Response, g, request

from portal.clock import Clock
from portal.contract.bodies import CandidateUpdate, Submission
from portal.db import Database
from portal.throttling import network_of
from portal.tracker import once, reading, submissions
from portal.tracker.keys import Allowance
from portal.tracker.once import Answer


def blueprint(database: Database, clock: Clock, allowance: Allowance) -> Blueprint:
    """The two operations on this database; allowance: requests of one network, counted before a body is looked at."""
    pages = Blueprint("public", __name__)

    @pages.before_request
    def count() -> None:
        g.rate_limit = allowance.spend(network_of(request.remote_addr, v4=24, v6=56))

    @pages.post("/<slug>/vacancy-portal/jobs/<posting_id>")
    def submit_application(slug: str, posting_id: str) -> Response:
        body = reading.body(request, Submission)
        asked = once.once(request.headers.get("Idempotency-Key"), request.path, body)
        return _json(submissions.submit(database, clock, slug, posting_id, body, asked))

    @pages.post("/<slug>/candidate-portal/<candidate_id>")
    def update_candidate(slug: str, candidate_id: str) -> Response:
        body = reading.body(request, CandidateUpdate)
        asked = once.once(request.headers.get("Idempotency-Key"), request.path, body)
        return _json(submissions.update(database, clock, slug, candidate_id, body, asked))

    return pages


def _json(answer: Answer) -> Response:
    return Response(answer.body, answer.status, content_type="application/json")
