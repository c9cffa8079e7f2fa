"""After responses 401 or a proxy's page, deliveries resume as soon as the service is known to work again."""

import os
from collections import Counter
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner

from portal.background.outbox.states import OutboxState
from portal.cli import portal
from tests.delivery.scene import RETRY_BASE, Scene
from tests.delivery.service import Deed, Posted, refused, taken
from tests.operations.console.operator_console import open_console
from tests.parts.misbehaving import answer, html

REFUSED = refused(answer(status=401))
PAUSE = RETRY_BASE * 20
SYNC_INTERVAL = 60


def refused_for_a_while(scene: Scene) -> str:
    """An application is submitted, the service responds 401, and then it is fixed."""
    scene.acme.plan(REFUSED)
    reference = scene.apply()
    scene.deliver()
    scene.deliver(after=40)
    assert scene.overview(reference).state is OutboxState.RETRY
    scene.acme.plan(taken())
    assert scene.deliver(after=1) == 0
    return reference


def is_delivered(scene: Scene, reference: str) -> bool:
    scene.deliver()
    return scene.overview(reference).state is OutboxState.DELIVERED


def test_a_successful_sync_ends_the_pause(scene: Scene):
    reference = refused_for_a_while(scene)
    scene.clock.pass_time(SYNC_INTERVAL)
    scene.work.mirror_what_is_due()
    assert is_delivered(scene, reference)
    assert scene.acme.counts() == {reference: 1}


def test_the_end_of_the_outage_is_logged(scene: Scene, caplog: pytest.LogCaptureFixture):
    caplog.set_level("INFO")
    reference = refused_for_a_while(scene)
    scene.clock.pass_time(SYNC_INTERVAL)
    scene.work.mirror_what_is_due()
    assert is_delivered(scene, reference)
    told = [one.getMessage().partition(" ")[0] for one in caplog.records if "part=service" in one.getMessage()]
    assert told == ["away", "recovered"]


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_pause_that_the_service_requested_outlasts_a_sync(scene: Scene):
    scene.acme.plan(refused(answer(status=429, headers={"Retry-After": "500"})), taken())
    scene.apply()
    scene.deliver()
    scene.clock.pass_time(SYNC_INTERVAL)
    scene.work.mirror_what_is_due()
    scene.work.run_housekeeping()
    assert scene.work.deliver_what_is_due() <= 1, "the receipt's email and no application"
    assert len(scene.acme.posted) == 1


def test_a_successful_check_ends_the_pause(scene: Scene):
    reference = refused_for_a_while(scene)
    settings = scene.parts.settings
    told = {
        "PORTAL_SECRET_KEY": settings.secret_key,
        "PORTAL_DATABASE_URL": settings.database_url,
        "PORTAL_TENANTS": str(settings.tenants),
        "PORTAL_ATTACHMENTS": settings.attachments,
        "PORTAL_MAIL": settings.mail,
    }
    CliRunner().invoke(portal, ["check", "globex"], env=told)
    assert not is_delivered(scene, reference)
    CliRunner().invoke(portal, ["check", "acme"], env=told)
    assert is_delivered(scene, reference)


@pytest.mark.parametrize("file", ["key", "tenants/acme.toml"])
def test_a_changed_key_or_tenant_file_ends_the_pause(scene: Scene, file: str):
    scene.work.run_housekeeping()
    reference = refused_for_a_while(scene)
    scene.work.run_housekeeping()
    assert not is_delivered(scene, reference)
    path = scene.folder / file
    if file == "key":
        path.write_text("another-key-of-the-service")
    else:
        path.write_text(path.read_text() + 'slug = "acme-robotics"\n')
    os.utime(path, ns=(1, 1))
    scene.clock.pass_time(1)
    scene.work.run_housekeeping()
    assert is_delivered(scene, reference)


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_worker_tries_once_when_it_starts(scene: Scene):
    """A key may have changed while none ran."""
    reference = refused_for_a_while(scene)
    type(scene.work)(scene.parts).run_housekeeping()
    assert is_delivered(scene, reference)


def test_a_service_behind_a_web_page_is_tried_again_within_seconds(scene: Scene):
    scene.acme.plan(refused(html()), taken())
    reference = scene.apply()
    scene.deliver()
    assert scene.overview(reference).state is OutboxState.AMBIGUOUS
    scene.deliver(after=5)
    assert scene.overview(reference).state is OutboxState.DELIVERED
    assert scene.acme.read_back == 1
    assert scene.acme.counts() == {reference: 1}


def test_an_application_that_arrived_despite_the_web_page_is_not_sent_twice(scene: Scene):
    scene.acme.honours_keys = False
    scene.acme.plan(Deed(takes=True, says=html()), taken())
    reference = scene.apply()
    scene.deliver()
    scene.deliver(after=5)
    assert scene.overview(reference).state is OutboxState.DELIVERED
    assert len(scene.acme.posted) == 1


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_service_with_idempotency_keys_and_no_list_gets_no_duplicate(scene: Scene):
    scene.acme.shows_applications = False
    scene.acme.plan(Deed(takes=True, says=html()), taken())
    reference = scene.apply()
    scene.deliver()
    scene.deliver(after=5)
    assert scene.overview(reference).state is OutboxState.DELIVERED
    assert scene.acme.counts() == {reference: 1}


def test_the_only_resend_is_not_used_while_the_web_page_still_responds(scene: Scene):
    """A proxy that shows its maintenance page for ten minutes to everything."""
    page = html()
    scene.acme.mood = lambda _: refused(page)
    scene.acme.pages = page
    references = [scene.apply(name) for name in ("ada", "eve", "joe")]
    for _ in range(20):
        scene.deliver(after=30)
    assert Counter(one.reference for one in scene.acme.posted) == dict.fromkeys(references, 1), "sent once each"
    assert not [one for one in references if scene.overview(one).state is OutboxState.DEAD]
    scene.acme.pages = None
    scene.acme.plan(taken())
    for _ in range(3):
        scene.deliver(after=600)
    assert {scene.overview(one).state for one in references} == {OutboxState.DELIVERED}
    assert set(scene.acme.counts().values()) == {1}


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_web_page_in_response_to_every_application_ends_after_one_resend(scene: Scene):
    sent: list[Posted] = []

    def blocked(one: Posted) -> Deed:
        sent.append(one)
        return refused(html())

    scene.acme.mood = blocked
    reference = scene.apply()
    for _ in range(5):
        scene.deliver(after=600)
    assert scene.overview(reference).state is OutboxState.DEAD
    assert len(sent) == 2


def test_the_console_shows_what_waits_and_until_when(scene: Scene):
    scene.acme.plan(REFUSED)
    for name in ("ada", "eve"):
        scene.apply(name)
    scene.deliver()
    until = scene.clock.now().timestamp() + PAUSE
    said = open_console(scene).read("/tenants/acme")
    assert "The service rejects the API key" in said
    assert "2 applications wait until" in said
    assert any(f"{datetime.fromtimestamp(until + shift, UTC):%H:%M:%S} UTC" in said for shift in (-1, 0, 1))
    assert "or until a pass over its jobs, a check or a changed key shows that the service works" in said
