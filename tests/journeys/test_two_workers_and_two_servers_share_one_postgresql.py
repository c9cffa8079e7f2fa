"""Real servers respond alike, a remaining worker continues the work, and nothing is done twice."""

import json
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from portal.background.sync import health as sync_health
from portal.background.sync.tables import ListName
from portal.jobs.mirror import state
from tests.journeys.two_servers_and_workers import CLOCK, COMPANIES, JOBS, Fleet, fleet
from tests.parts.postgres import Postgres
from tests.site.apply.applicant import Applicant

pytestmark = pytest.mark.verify

BOTH = (0, 1)


@pytest.fixture
def here(tmp_path: Path, postgres: Postgres) -> Iterator[Fleet]:
    pauses = {"PORTAL_SYNC_INTERVAL": "1", "PORTAL_RECONCILE_INTERVAL": "3"}
    with fleet(tmp_path / "fleet", postgres, **pauses) as made:
        # Long enough for another worker to start a second one, if that were possible.
        made.relay.slow = 0.1
        yield made


def apply(here: Fleet, server: int, company: str, email: str) -> str:
    """Apply for the company's job 9; return the receipt's address."""
    with here.browser(server) as browser:
        address = Applicant(browser, f"/{company}/jobs/{company}-9/apply").receipt(email=email)
    return address.removeprefix(f"http://{here.host}")


def is_gone(here: Fleet, server: int, company: str, job: str) -> bool:
    page, there = here.get(server, f"/{company}/jobs/{job}"), here.open_jobs(server, company)
    return page.status_code == 410 and there == JOBS - 1


def is_sent(here: Fleet, server: int, receipt: str) -> bool:
    return 'data-state="sent"' in here.get(server, receipt).text


def one_sync_at_a_time(here: Fleet, company: str) -> None:
    """Check that a sync makes one request at a time, and that syncs of different workers do not overlap."""
    for one, following in pairwise(here.lists(company)):
        assert one.ended <= following.began, "two workers were at one company"
        if "cursor" in following.query:
            assert one.who == following.who, "a pass was broken into"


def test_workers_share_the_work_and_servers_respond_alike(here: Fleet):
    everywhere = [(server, company) for server in BOTH for company in COMPANIES]
    here.until(lambda: all(here.open_jobs(*one) == JOBS for one in everywhere), "every company is mirrored")

    here.close_job("acme", "acme-7")
    here.delete_job("globex", "globex-7")
    for server in BOTH:
        here.until(lambda at=server: is_gone(here, at, "acme", "acme-7"), "a closed job is gone everywhere")
        here.until(lambda at=server: is_gone(here, at, "globex", "globex-7"), "a deleted job is gone everywhere")
        assert here.get(server, "/acme/jobs/acme-7/apply").status_code == 410

    people = {f"p{n}@people.example": COMPANIES[n % 3] for n in range(6)}
    receipts = [apply(here, n % 2, company, email) for n, (email, company) in enumerate(people.items())]
    for n, receipt in enumerate(receipts):
        here.until(
            lambda at=1 - n % 2, page=receipt: is_sent(here, at, page),
            "the other server's receipt says that it arrived",
        )

    workers = here.workers.keys()
    here.until(
        lambda: all(workers <= here.visitors(company) for company in COMPANIES), "each worker was at each company"
    )
    # A worker is killed during a sync: the other takes over its leases immediately.
    with here.relay.holding(lambda asked: asked.path == "/vacancies" and here.is_of(asked, "acme")) as asked:
        dead = asked.who
        here.kill(dead)
    since = len(here.relay.asked)
    (left,) = here.workers.keys() - {dead}
    here.close_job("initech", "initech-7")
    here.delete_job("acme", "acme-8")
    here.until(lambda: is_gone(here, 1, "initech", "initech-7"), "the worker that is left goes on")
    here.until(lambda: here.open_jobs(0, "acme") == JOBS - 2, "also with the company that the dead one held")
    last = apply(here, 0, "acme", "last@people.example")
    here.until(lambda: is_sent(here, 1, last), "and delivers")
    # What the killed worker had sent and the relay reads only now belongs to no running worker.
    assert {each.who for each in here.relay.asked[since:]} - {""} == {left}

    for company in COMPANIES:
        one_sync_at_a_time(here, company)
        assert here.visitors(company) == {dead, left}
        wanted = [email for email, where in people.items() if where == company]
        wanted += ["last@people.example"] * (company == "acme")
        assert Counter(here.applications(company, f"{company}-9")) == Counter(wanted)
    posted = Counter(each.headers["idempotency-key"] for each in here.relay.asked if each.method == "POST")
    assert set(posted.values()) == {1}
    assert len(posted) == len(people) + 1
    for company in COMPANIES:
        assert state.set_aside(here.database, company) == state.clashes(here.database, company) == []
    for name in ListName:
        for known in sync_health.all_of(here.database, name, CLOCK.now()).values():
            assert (known.failures, known.error, known.alarm) == (0, None, None)
    here.workers[left].terminate()
    assert here.workers[left].wait(15) == 0
    told = [json.loads(line.partition(": ")[2]) for line in here.logs().splitlines()]
    assert [line for line in told if line["level"] not in {"debug", "info"}] == []
