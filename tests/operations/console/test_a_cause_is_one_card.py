"""The start page has one card for each cause: since when, affected tenants, remedy and runbook."""

import shutil
from datetime import datetime, timedelta
from pathlib import Path

from portal.app import create_console
from portal.operations.console.app import _of_tenants
from portal.operations.console.status import Level, TenantStatus, Trouble
from tests.delivery.service import refused
from tests.operations.console.desk import Desk, words
from tests.parts.misbehaving import answer


def cards(desk: Desk) -> list[str]:
    page = desk.page("/")
    return [
        words(one)
        for one in page.partition('id="wrong"')[2].partition("</section>")[0].split('<li class="trouble ')[1:]
    ]


def refuse_key(desk: Desk) -> datetime:
    """Make pages, deliveries and both lists of Acme fail."""
    key = desk.scene.folder / "acme.key"
    key.write_text("k" * 20)
    file = desk.parts.settings.tenants / "acme.toml"
    lines = [
        f'api_key = "file:{key}"' if line.startswith("api_key") else line for line in file.read_text().splitlines()
    ]
    file.write_text("\n".join(lines))
    desk.scene.clock.pass_time(2)
    desk.scene.acme.mood = lambda _: refused(answer({}, status=401))
    desk.scene.acme.pages = answer({}, status=401)
    return desk.scene.clock.now()


def test_a_refused_key_is_one_card_with_its_file_and_the_time_it_began(desk: Desk):
    desk.scene.apply()
    began = refuse_key(desk)
    desk.scene.deliver()
    desk.scene.clock.pass_time(3 * 60)
    desk.scene.work.mirror_what_is_due()
    desk.scene.work.index_what_is_due()
    desk.scene.clock.pass_time(20 * 60)
    (card,) = [one for one in cards(desk) if "Acme" in one]
    assert "Acme: The service rejects the API key" in card
    assert f"Failing since {began:%Y-%m-%d %H:%M}" in card
    assert "23 minutes" in card
    assert f"Put a new key into {desk.scene.folder}/acme.key; checked again within a minute." in card
    assert "syncing jobs" in card
    assert "syncing candidates" in card
    assert "Runbook" in card
    assert 'href="/manual/troubleshoot#portalservicefails"' in desk.page("/")


def test_lists_that_are_old_since_a_key_was_refused_name_its_file(desk: Desk):
    desk.scene.work.mirror_what_is_due()
    refuse_key(desk)
    desk.scene.clock.pass_time(40 * 60)
    desk.scene.work.mirror_what_is_due()
    (card,) = [one for one in cards(desk) if "Acme: Jobs were last synced 40 minutes ago" in one]
    assert f"Put a new key into {desk.scene.folder}/acme.key; checked again within a minute." in card


def test_an_outage_began_when_the_first_delivery_failed_and_not_when_somebody_applied(desk: Desk):
    desk.scene.apply()
    desk.scene.acme.down()
    desk.scene.clock.pass_time(10 * 60)
    desk.scene.deliver()
    for _ in range(3):
        desk.scene.deliver(after=15 * 60)
    (card,) = [one for one in cards(desk) if "Acme: Nothing listens" in one]
    assert "(45 minutes)" in card


def test_what_fails_since_when_is_known_to_a_console_that_starts_later(desk: Desk):
    folder = Path(desk.parts.settings.attachments.removeprefix("file:"))
    shutil.rmtree(folder, ignore_errors=True)
    folder.write_text("a file in its place")
    desk.page("/")
    desk.scene.clock.pass_time(7200)
    assert "(2 hours)" in storage(desk)
    folder.unlink()
    folder.mkdir()
    desk.scene.clock.pass_time(60)
    desk.scene.until(lambda: not storage(desk), "it is well")
    folder.rmdir()
    folder.write_text("again")
    desk.scene.clock.pass_time(60)
    found = storage(desk)
    assert "Failing since" in found
    assert "hour" not in found


def storage(desk: Desk) -> str:
    """Return the card of file storage at a console that has just started; empty without one."""
    desk.app = create_console(desk.parts)
    return "".join(one for one in cards(desk) if "File storage" in one)


def test_ten_tenants_with_one_broken_storage_are_one_card():
    began = datetime.fromisoformat("2026-06-01T12:00:00+00:00")
    at_store = [
        TenantStatus(
            slug := f"tenant-{number}",
            slug.title(),
            troubles=(
                Trouble(Level.WRONG, "File storage is not responding", since=began + timedelta(number), cause="store"),
            ),
        )
        for number in range(10)
    ]
    (card,) = _of_tenants(at_store, set())
    assert card.since == began
    assert [tenant.slug for tenant, _ in card.troubles] == [f"tenant-{number}" for number in range(10)]
