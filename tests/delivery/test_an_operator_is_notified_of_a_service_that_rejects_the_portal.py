"""A service that rejects the portal is reported to the company's operator before deliveries fail, and only once."""

import threading

import pytest

from tests.delivery.scene import Scene
from tests.delivery.service import refused, taken
from tests.parts.misbehaving import answer

HOUR = 3_600
REFUSED = answer(status=401)
SENT_ELSEWHERE = answer(status=302, headers={"Location": "https://elsewhere.example/"})


def operator_emails(here: Scene, address: str = "jobs@acme.example") -> list[str]:
    here.work.run_housekeeping()
    here.deliver()
    return [" ".join(mail.replace("=\n", "").split()) for mail in here.mails() if f"To: {address}" in mail]


@pytest.mark.parametrize(
    ("says", "words"), [(REFUSED, "responds that this is not allowed"), (SENT_ELSEWHERE, "to another address")]
)
def test_the_first_rejection_is_reported(here: Scene, says, words: str):
    here.acme.plan(refused(says))
    here.apply()
    assert operator_emails(here) == []
    here.deliver()
    (letter,) = operator_emails(here)
    assert words in letter
    assert "Nothing is lost" in letter
    assert "people.example" not in letter
    assert operator_emails(here, "jobs@globex.example") == []


def test_one_report_is_sent_however_long_it_lasts_and_however_many_applications_wait(here: Scene):
    here.acme.plan(refused(REFUSED))
    for name in ("ada", "eve", "joe"):
        here.apply(name)
        here.deliver(after=HOUR)
        operator_emails(here)
    assert len(operator_emails(here)) == 1


def test_a_second_outage_is_reported_again(here: Scene):
    here.acme.plan(refused(REFUSED), taken(), refused(REFUSED))
    here.apply()
    here.deliver()
    assert len(operator_emails(here)) == 1
    here.deliver(after=2 * HOUR)
    assert operator_emails(here)
    here.apply("eve")
    here.deliver(after=2 * HOUR)
    assert len(operator_emails(here)) == 2


def test_concurrent_workers_send_one_report(here: Scene):
    here.acme.plan(refused(REFUSED))
    here.apply()
    here.deliver()
    workers = [threading.Thread(target=here.work.run_housekeeping) for _ in range(6)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    assert len(operator_emails(here)) == 1


def test_an_unavailable_service_is_not_reported(here: Scene):
    here.acme.plan(refused(answer(status=503)))
    here.apply()
    here.deliver()
    assert operator_emails(here) == []
