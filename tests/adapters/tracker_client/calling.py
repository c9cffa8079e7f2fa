"""A client of a misbehaving server, and one call of each kind."""

from collections.abc import Iterator
from contextlib import contextmanager

from portal.adapters.tracker_client.client import TrackerClient
from portal.contract.bodies import CandidateUpdate, LocationBody, Submission
from portal.platform.clock import Clock, SystemClock

KEY = "key-that-nobody-may-see"
CANDIDATE = "candidate-that-nobody-may-see"
SUBMISSION = Submission(
    network_url=None,
    first_name="José",
    last_name="李",
    cv_attachment_id="acme/abc",
    email="jose@mail.example",
    phone_number="+34600000000",
    location=LocationBody(type="primary_home", city="Cádiz", region=None),
)
UPDATE = CandidateUpdate(first_name="José", last_name="李")


@contextmanager
def client(url: str, *, deadline: float = 30, clock: Clock | None = None) -> Iterator[TrackerClient]:
    upstream = TrackerClient(base_url=url, slug="acme", api_key=KEY, clock=clock or SystemClock(), deadline=deadline)
    try:
        yield upstream
    finally:
        upstream.close()


def submit(upstream: TrackerClient) -> None:
    upstream.submit("v1", SUBMISSION, reference="ref-1")


def update(upstream: TrackerClient) -> None:
    upstream.update_candidate(CANDIDATE, UPDATE, reference="ref-2")
