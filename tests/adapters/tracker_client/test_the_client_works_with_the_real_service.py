"""The portal's client works with the tracking service that ships with it, for each operation."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from portal.adapters.tracker_client.client import TrackerClient
from portal.adapters.tracker_client.errors import Conflicting, KeyRefused, RecordNotFound
from portal.background.sync.paging import PageWalker
from portal.contract.bodies import CandidateUpdate, EmailEntryBody, LocationBody, Submission
from tests.told_clock import ToldClock

VACANCIES = [
    {
        "id": f"v{number}",
        "name": {"viewType": "vacancyName", "name": f"Welder {number}"},
        "stage": {"viewType": "vacancyStage", "stage": {"id": "st-open", "name": "Open", "order": 1}},
        "employmentType": {"viewType": "vacancyEmploymentType", "employmentType": "fullTime"},
    }
    for number in range(7)
]
JANE = Submission(
    network_url="https://jane.example",
    first_name="Jane",
    last_name="李",
    cv_attachment_id="acme/cv-1",
    email="jane@mail.example",
    phone_number="+34600000000",
    location=LocationBody(type="primary_home", city="Cádiz", country="ES"),
)


class Acme:
    """A company with seven open jobs at the real service."""

    def __init__(self, folder: Path) -> None:
        from tests.builders import service

        self._clock = ToldClock()
        self._service = service(folder, self._clock)
        self._key = self._service.add_tenant("acme", "Acme Robotics")
        self._service.load("acme", [json.dumps({"kind": "vacancy", "record": record}) for record in VACANCIES])

    def client(self, *, api_key: str | None = None, slug: str = "acme") -> TrackerClient:
        return TrackerClient(
            base_url="http://127.0.0.1",
            slug=slug,
            api_key=api_key or self._key,
            clock=self._clock,
            transport=self._service.transport,
        )


@pytest.fixture
def acme(tmp_path: Path) -> Iterator[Acme]:
    company = Acme(tmp_path)
    yield company
    company._service.database.close()


def test_all_vacancies_are_read_with_any_page_size(acme: Acme) -> None:
    upstream = acme.client()
    for limit in (1, 3, 50):
        walk = PageWalker(upstream.vacancies, None, limit=limit)
        walked = [vacancy.id for page in walk.pages() for vacancy in page.items]
        assert sorted(set(walked)) == [f"v{n}" for n in range(7)]
        assert walk.complete
    detail = upstream.vacancy("v3")
    assert detail.name is not None
    assert detail.name.name == "Welder 3"


def test_an_application_arrives_unchanged_and_once(acme: Acme) -> None:
    upstream = acme.client()
    for _ in range(2):
        upstream.submit("v1", JANE, reference="ref-1")
    (found,) = upstream.applications("v1").applications
    assert found.candidate is not None
    assert (found.candidate.first_name, found.candidate.last_name) == ("Jane", "李")
    assert found.candidate.emails == ["jane@mail.example"]
    assert upstream.application(found.id).candidate_application_type == "standardApplication"
    assert upstream.stages().stages
    with pytest.raises(Conflicting):
        upstream.submit("v1", JANE.model_copy(update={"first_name": "June"}), reference="ref-1")


def test_a_candidate_changes_the_profile(acme: Acme) -> None:
    upstream = acme.client()
    upstream.submit("v1", JANE, reference="ref-1")
    (jane,) = upstream.candidates().items
    emails = [EmailEntryBody(email="new@mail.example", purpose="personal", is_primary=True)]
    change = CandidateUpdate(first_name="Jana", last_name="李", emails=emails)
    upstream.update_candidate(jane.id, change, reference="ref-2")
    (changed,) = upstream.candidates().items
    assert changed.name is not None
    assert changed.emails is not None
    assert changed.phone_numbers is not None
    assert changed.name.first_name == "Jana"
    assert [entry.email for entry in changed.emails.emails or ()] == ["new@mail.example"]
    assert [entry.phone_number for entry in changed.phone_numbers.phone_numbers or ()] == ["+34600000000"]


def test_rejections_of_the_service_are_named(acme: Acme) -> None:
    upstream = acme.client()
    with pytest.raises(RecordNotFound):
        upstream.vacancy("nothing")
    with pytest.raises(RecordNotFound):
        upstream.submit("nothing", JANE, reference="ref-1")
    with pytest.raises(RecordNotFound):
        upstream.update_candidate("nobody", CandidateUpdate(first_name="A", last_name="B"), reference="ref-2")
    with pytest.raises(KeyRefused):
        acme.client(api_key="a-key-that-opens-nothing").vacancies()
