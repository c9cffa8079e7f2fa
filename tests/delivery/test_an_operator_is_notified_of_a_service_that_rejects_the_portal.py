"""A service that rejects the portal is reported to the company's operator before deliveries fail, and only once."""

import threading

import pytest

from tests.delivery.scene import Scene
from tests.delivery.service import refused, taken
from tests.parts.misbehaving import answer

HOUR = 3_600
REFUSED = answer(status=401)
SENT_ELSEWHERE = answer(status=302, headers={"Location": "https://elsewhere.example/"})


def operator_emails(scene: Scene, address: str = "jobs@acme.example") -> list[str]:
    scene.work.run_housekeeping()
    scene.deliver()
    return [" ".join(mail.replace("=\n", "").split()) for mail in scene.mails() if f"To: {address}" in mail]


@pytest.mark.parametrize(
    ("says", "words"), [(REFUSED, "responds that this is not allowed"), (SENT_ELSEWHERE, "to another address")]
)
def test_the_first_rejection_is_reported(scene: Scene, says, words: str):
    scene.acme.plan(refused(says))
    scene.apply()
    assert operator_emails(scene) == []
    scene.deliver()
    (letter,) = operator_emails(scene)
    assert words in letter
    assert "Nothing is lost" in letter
    assert "people.example" not in letter
    assert operator_emails(scene, "jobs@globex.example") == []


def test_one_report_is_sent_however_long_it_lasts_and_however_many_applications_wait(scene: Scene):
    scene.acme.plan(refused(REFUSED))
    for name in ("ada", "eve", "joe"):
        scene.apply(name)
        scene.deliver(after=HOUR)
        operator_emails(scene)
    assert len(operator_emails(scene)) == 1


def test_a_second_outage_is_reported_again(scene: Scene):
    scene.acme.plan(refused(REFUSED), taken(), refused(REFUSED))
    scene.apply()
    scene.deliver()
    assert len(operator_emails(scene)) == 1
    scene.deliver(after=2 * HOUR)
    assert operator_emails(scene)
    scene.apply("eve")
    scene.deliver(after=2 * HOUR)
    assert len(operator_emails(scene)) == 2


def test_concurrent_workers_send_one_report(scene: Scene):
    scene.acme.plan(refused(REFUSED))
    scene.apply()
    scene.deliver()
    workers = [threading.Thread(target=scene.work.run_housekeeping) for _ in range(6)]
    for one in workers:
        one.start()
    for one in workers:
        one.join()
    assert len(operator_emails(scene)) == 1


def test_an_unavailable_service_is_not_reported(scene: Scene):
    scene.acme.plan(refused(answer(status=503)))
    scene.apply()
    scene.deliver()
    assert operator_emails(scene) == []
