"""The public operations: §4.8 and §4.10. No key is looked at; one that is sent along is ignored."""

from flask import Blueprint, Response, request

from portal.clock import Clock
from portal.contract.bodies import CandidateUpdate, Submission
from portal.db import Database
from portal.tracker import once, reading, submissions
from portal.tracker.once import Answer


def blueprint(database: Database, clock: Clock) -> Blueprint:
    """The two operations on this database."""
    pages = Blueprint("public", __name__)

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
