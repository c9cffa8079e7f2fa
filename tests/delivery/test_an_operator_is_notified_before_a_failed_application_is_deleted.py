"""A failed application is deleted at the end of its retention, if its operator was notified two weeks before."""

import pytest

from portal.background.outbox.states import CLAIMABLE, OutboxState
from portal.delivery.envelopes import submissions
from portal.delivery.kinds import KINDS
from tests.delivery.scene import Scene
from tests.delivery.service import refused, taken
from tests.parts.misbehaving import answer
from tests.parts.process import free_port

DAY = 86_400
KEPT = {"forget_after": 100 * DAY}
kept = pytest.mark.parametrize("scene", [KEPT], indirect=True)


def deletion_notices(scene: Scene) -> list[str]:
    """Emails to the operator that say that something will be deleted."""
    mails = (mail.replace("=\n", "") for mail in scene.mails())
    return [mail for mail in mails if "To: jobs@acme.example" in mail and "will be deleted" in mail]


def failed(scene: Scene) -> str:
    scene.acme.plan(refused(answer(status=422)))
    reference = scene.apply()
    while scene.overview(reference).state is not OutboxState.DEAD:
        assert scene.overview(reference).state in CLAIMABLE
        scene.deliver(after=3_600)
    return reference


def pass_time_and_run_the_worker(scene: Scene, *, after: float = 0) -> None:
    """Let time pass; a worker runs its housekeeping, sends what is due, and runs its housekeeping again."""
    scene.clock.pass_time(after)
    scene.work.run_housekeeping()
    scene.deliver()
    scene.work.run_housekeeping()


@kept
def test_the_notice_is_sent_two_weeks_before_the_deletion_and_not_earlier(scene: Scene):
    reference = failed(scene)
    pass_time_and_run_the_worker(scene, after=86 * DAY - 60)
    assert deletion_notices(scene) == []
    pass_time_and_run_the_worker(scene, after=120)
    (letter,) = deletion_notices(scene)
    assert reference in letter
    assert "people.example" not in letter
    pass_time_and_run_the_worker(scene, after=14 * DAY - 120)
    assert scene.overview(reference).state is OutboxState.DEAD
    pass_time_and_run_the_worker(scene, after=240)
    assert scene.overview(reference).state is OutboxState.DISCARDED
    assert scene.overview(reference).purged_at
    assert list(scene.parts.store.keys("acme/")) == []
    assert "could not be delivered" in " ".join(scene.receipt(reference).split())
    assert len(deletion_notices(scene)) == 1


@kept
def test_the_deletion_follows_two_weeks_after_a_late_notice(scene: Scene):
    reference = failed(scene)
    scene.clock.pass_time(300 * DAY)
    pass_time_and_run_the_worker(scene)
    assert len(deletion_notices(scene)) == 1
    pass_time_and_run_the_worker(scene, after=14 * DAY - 60)
    assert scene.overview(reference).state is OutboxState.DEAD
    pass_time_and_run_the_worker(scene, after=120)
    assert scene.overview(reference).state is OutboxState.DISCARDED


@kept
def test_nothing_is_deleted_for_a_company_without_an_operator_address(scene: Scene):
    reference = failed(scene)
    file = scene.folder / "tenants" / "acme.toml"
    file.write_text(file.read_text().replace('operator = "jobs@acme.example"', ""))
    for _ in range(3):
        pass_time_and_run_the_worker(scene, after=300 * DAY)
    assert scene.overview(reference).state is OutboxState.DEAD
    assert 'portal_failed_expiring{tenant="acme"} 1.0' in metrics(scene)


@pytest.mark.parametrize(
    "scene", [KEPT | {"mail": f"smtp://127.0.0.1:{free_port()}", "delivery_give_up": 30 * DAY}], indirect=True
)
def test_nothing_is_deleted_while_the_notice_cannot_be_sent(scene: Scene):
    reference = failed(scene)
    for days in (90, 15, 10, 10, 20):
        pass_time_and_run_the_worker(scene, after=days * DAY)
        assert scene.overview(reference).state is OutboxState.DEAD


@kept
def test_an_application_that_was_retried_is_delivered_and_not_deleted(scene: Scene):
    reference = failed(scene)
    pass_time_and_run_the_worker(scene, after=90 * DAY)
    scene.acme.plan(taken())
    parts = scene.parts
    assert submissions.retry(parts.database, parts.seal, KINDS, reference, scene.clock, scan_required=False)
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.DELIVERED
    pass_time_and_run_the_worker(scene, after=3 * DAY)
    assert scene.overview(reference).delivered_at
    assert 'portal_failed_expiring{tenant="acme"} 0.0' in metrics(scene)


def metrics(scene: Scene) -> str:
    with scene.browser() as client:
        return client.get("/metrics").text
