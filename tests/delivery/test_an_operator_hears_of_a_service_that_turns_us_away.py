"""A service that rejects the portal is reported to the company's operator before deliveries fail, and only once."""

import threading

import pytest

from tests.delivery.scene import Scene
from tests.delivery.service import refused, taken
from tests.parts.misbehaving import answer

HOUR = 3_600
REFUSED = answer(status=401)
SENT_ELSEWHERE = answer(status=302, headers={"Location": "https://elsewhere.example/"})


def letters(here: Scene, address: str = "jobs@acme.example") -> list[str]:
    here.work.run_housekeeping()
    here.deliver()
    return [" ".join(mail.replace("=\n", "").split()) for mail in here.mails() if f"To: {address}" in mail]


@pytest.mark.parametrize(
    ("says", "words"), [(REFUSED, "responds that this is not allowed"), (SENT_ELSEWHERE, "to another address")]
)
def test_at_the_first_refusal(here: Scene, says, words: str):
    here.acme.plan(refused(says))
    here.apply()
    assert letters(here) == []
    here.deliver()
    (letter,) = letters(here)
    assert words in letter
    assert "Nothing is lost" in letter
    assert "people.example" not in letter
    assert letters(here, "jobs@globex.example") == []


def test_once_however_long_it_lasts_and_however_many_wait(here: Scene):
    here.acme.plan(refused(REFUSED))
    for name in ("ada", "eve", "joe"):
        here.apply(name)
        here.deliver(after=HOUR)
        letters(here)
    assert len(letters(here)) == 1


def test_again_when_it_was_mended_and_broke_anew(here: Scene):
    here.acme.plan(refused(REFUSED), taken(), refused(REFUSED))
    here.apply()
    here.deliver()
    assert len(letters(here)) == 1
    here.deliver(after=2 * HOUR)
    assert letters(here)
    here.apply("eve")
    here.deliver(after=2 * HOUR)
    assert len(letters(here)) == 2


def test_once_when_several_workers_look_at_once(here: Scene):
    here.acme.plan(refused(REFUSED))
    here.apply()
    here.deliver()
    workers = [threading.Thread(target=here.work.run_housekeeping) for _ in range(6)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    assert len(letters(here)) == 1


def test_a_service_that_is_merely_down_is_waited_for(here: Scene):
    here.acme.plan(refused(answer(status=503)))
    here.apply()
    here.deliver()
    assert letters(here) == []
