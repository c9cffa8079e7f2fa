"""§5: authentication and rate limits."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from portal.contract.operations import OPERATIONS
from portal.platform.errors import SettingsError
from portal.tracker import administration, tables
from tests.schemas import TRACKER, sqlite_copy
from tests.told_clock import ToldClock
from tests.tracker.office import Office, opened


@pytest.mark.parametrize("operation", [o for o in OPERATIONS if o.needs_key], ids=lambda o: o.section)
@pytest.mark.parametrize("key", [None, "", "wrong", "trk_000000000000_" + "x" * 43])
def test_requests_without_a_valid_key_are_rejected(sqlite_office: Office, operation, key: str | None):
    headers = {} if key is None else {"x-api-key": key}
    answer = sqlite_office.public.request(operation.method, operation.path, headers=headers)
    assert answer.status_code == 401
    assert "WWW-Authenticate" in answer.headers
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_a_key_with_one_changed_character_is_rejected(office: Office):
    swapped = office.key[:-1] + ("A" if office.key[-1] != "A" else "B")
    assert office.client({"x-api-key": swapped}).get("/vacancies").status_code == 401


def test_records_of_another_tenant_are_not_found(office: Office):
    vacancy = office.add_vacancy()
    office.apply(vacancy)
    application = office.applications(vacancy)[0]["id"]
    stranger = office.neighbour().recruiter
    for path in (f"/vacancies/{vacancy}", f"/applications/vacancy/{vacancy}", f"/applications/{application}"):
        assert stranger.get(path).status_code == 404
    assert stranger.get("/vacancies").json()["items"] == []
    assert stranger.get("/candidates").json()["items"] == []


def test_two_tenants_can_have_records_with_the_same_id(office: Office):
    neighbour = office.neighbour()
    for at, name in ((office, "Ours"), (neighbour, "Theirs")):
        at.load(("vacancy", {"id": "v1", "name": {"name": name}}))
    assert office.recruiter.get("/vacancies/v1").json()["name"]["name"] == "Ours"
    assert neighbour.recruiter.get("/vacancies/v1").json()["name"]["name"] == "Theirs"


def test_a_revoked_key_is_rejected(office: Office):
    second = administration.create_key(office.database, office.clock, office.slug)
    known_as = office.key.split("_")[1]
    administration.revoke_key(office.database, office.clock, office.slug, known_as)
    assert office.recruiter.get("/vacancies").status_code == 401
    assert office.client({"x-api-key": second}).get("/vacancies").status_code == 200
    listed = {facts.id: facts for facts in administration.list_keys(office.database, office.slug)}
    assert listed[known_as].revoked_at is not None
    assert listed[second.split("_")[1]].revoked_at is None


def test_another_tenants_key_cannot_be_revoked(office: Office):
    neighbour = office.neighbour()
    with pytest.raises(SettingsError, match="no such key"):
        administration.revoke_key(office.database, office.clock, office.slug, neighbour.key.split("_")[1])
    assert neighbour.recruiter.get("/vacancies").status_code == 200


def test_the_database_stores_no_plain_keys(office: Office):
    secret = office.key.split("_", 2)[2]
    with office.database.read() as connection:
        rows = [str(row) for table in tables.metadata.sorted_tables for row in connection.execute(sa.select(table))]
    assert not [row for row in rows if secret in row]


def test_requests_of_a_key_are_limited_per_minute(tmp_path: Path):
    with opened(sqlite_copy(tmp_path / "tracker.db", TRACKER), ToldClock(), rate_limit=3) as office:
        answers = [office.recruiter.get("/vacancies") for _ in range(4)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
        assert answers[0].headers["RateLimit-Policy"] == '"key";q=3;w=60'
        assert answers[0].headers["RateLimit"].startswith('"key";r=2;t=')
        assert 1 <= int(answers[3].headers["Retry-After"]) <= 60
        assert answers[3].headers["Content-Type"] == "application/problem+json"
        office.clock.sleep(60)
        assert office.recruiter.get("/vacancies").status_code == 200
        assert office.neighbour().recruiter.get("/vacancies").status_code == 200
        assert office.apply("nothing").status_code == 404
