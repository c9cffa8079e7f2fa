"""A failed application is deleted when its time is over, and only if its operator was told two weeks before."""

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
kept = pytest.mark.parametrize("here", [KEPT], indirect=True)


def letters(here: Scene) -> list[str]:
    """Emails to the operator that say that something will be deleted."""
    mails = (mail.replace("=\n", "") for mail in here.mails())
    return [mail for mail in mails if "To: jobs@acme.example" in mail and "will be deleted" in mail]


def failed(here: Scene) -> str:
    here.acme.plan(refused(answer(status=422)))
    reference = here.apply()
    while here.overview(reference).state is not OutboxState.DEAD:
        assert here.overview(reference).state in CLAIMABLE
        here.deliver(after=3_600)
    return reference


def look(here: Scene, *, after: float = 0) -> None:
    """Let time pass; a worker keeps house, sends what is due, and looks again."""
    here.clock.pass_time(after)
    here.work.run_housekeeping()
    here.deliver()
    here.work.run_housekeeping()


@kept
def test_two_weeks_before_and_not_earlier(here: Scene):
    reference = failed(here)
    look(here, after=86 * DAY - 60)
    assert letters(here) == []
    look(here, after=120)
    (letter,) = letters(here)
    assert reference in letter
    assert "people.example" not in letter
    look(here, after=14 * DAY - 120)
    assert here.overview(reference).state is OutboxState.DEAD
    look(here, after=240)
    assert here.overview(reference).state is OutboxState.DISCARDED
    assert here.overview(reference).purged_at
    assert list(here.parts.store.keys("acme/")) == []
    assert "could not be delivered" in " ".join(here.receipt(reference).split())
    assert len(letters(here)) == 1


@kept
def test_two_weeks_after_the_notice_however_late_it_comes(here: Scene):
    reference = failed(here)
    here.clock.pass_time(300 * DAY)
    look(here)
    assert len(letters(here)) == 1
    look(here, after=14 * DAY - 60)
    assert here.overview(reference).state is OutboxState.DEAD
    look(here, after=120)
    assert here.overview(reference).state is OutboxState.DISCARDED


@kept
def test_never_where_the_company_names_no_operator(here: Scene):
    reference = failed(here)
    file = here.folder / "tenants" / "acme.toml"
    file.write_text(file.read_text().replace('operator = "jobs@acme.example"', ""))
    for _ in range(3):
        look(here, after=300 * DAY)
    assert here.overview(reference).state is OutboxState.DEAD
    assert 'portal_failed_expiring{tenant="acme"} 1.0' in metrics(here)


@pytest.mark.parametrize(
    "here", [KEPT | {"mail": f"smtp://127.0.0.1:{free_port()}", "delivery_give_up": 30 * DAY}], indirect=True
)
def test_never_while_the_email_cannot_be_sent(here: Scene):
    reference = failed(here)
    for days in (90, 15, 10, 10, 20):
        look(here, after=days * DAY)
        assert here.overview(reference).state is OutboxState.DEAD


@kept
def test_one_that_was_sent_again_is_delivered_and_not_deleted(here: Scene):
    reference = failed(here)
    look(here, after=90 * DAY)
    here.acme.plan(taken())
    parts = here.parts
    assert submissions.retry(parts.database, parts.seal, KINDS, reference, here.clock, scan_required=False)
    here.deliver()
    assert here.overview(reference).state is OutboxState.DELIVERED
    look(here, after=3 * DAY)
    assert here.overview(reference).delivered_at
    assert 'portal_failed_expiring{tenant="acme"} 0.0' in metrics(here)


def metrics(here: Scene) -> str:
    with here.browser() as client:
        return client.get("/metrics").text
