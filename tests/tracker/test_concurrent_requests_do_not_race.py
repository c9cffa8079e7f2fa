"""Twenty concurrent clients cause no duplicates, and clients that read meanwhile miss nothing."""

from concurrent.futures import ThreadPoolExecutor

import sqlalchemy as sa

from portal.tracker import tables
from tests.tracker.office import Office, submission


def at_once(work, arguments):
    with ThreadPoolExecutor(20) as pool:
        return list(pool.map(work, arguments))


def test_one_key_sent_twenty_times_concurrently_creates_one_application(office: Office):
    vacancy = office.add_vacancy()
    answers = at_once(lambda _: office.apply(vacancy, "ref-1"), range(20))
    assert {(answer.status_code, answer.content) for answer in answers} == {(201, answers[0].content)}
    assert len(office.applications(vacancy)) == len(office.candidates()) == 1


def test_one_person_applying_twenty_times_concurrently_has_one_application(office: Office):
    vacancy = office.add_vacancy()
    at_once(lambda number: office.apply(vacancy, f"ref-{number}"), range(20))
    assert len(office.applications(vacancy)) == len(office.candidates()) == 1


def test_twenty_concurrent_applicants_are_all_counted(office: Office):
    vacancy = office.add_vacancy()
    at_once(lambda number: office.apply(vacancy, email=f"p{number}@people.example"), range(20))
    assert len(office.applications(vacancy)) == 20
    totals = office.recruiter.get(f"/vacancies/{vacancy}").json()["stageTotals"]["totals"]
    assert totals[0]["total"] == 20
    with office.database.read() as connection:
        turns = connection.execute(sa.select(tables.candidates.c.modified)).scalars().all()
    assert len(set(turns)) == 20


def test_a_client_reading_meanwhile_misses_nobody(office: Office):
    """A client that polls from its last position, while twenty people apply."""
    vacancy = office.add_vacancy()
    seen: set[str] = set()
    since = "2000-01-01T00:00:00Z"

    def follow() -> None:
        nonlocal since
        for candidate in office.walk("/candidates", modifiedSince=since, limit=3):
            seen.add(candidate["id"])
            since = max(since, candidate["modifiedAt"])

    def apply(number: int) -> None:
        path = f"/acme/vacancy-portal/jobs/{vacancy}"
        office.public.post(path, json=submission(email=f"p{number}@people.example"))

    with ThreadPoolExecutor(8) as pool:
        applying = [pool.submit(apply, number) for number in range(60)]
        while not all(future.done() for future in applying):
            follow()
    follow()
    assert len(seen) == 60
