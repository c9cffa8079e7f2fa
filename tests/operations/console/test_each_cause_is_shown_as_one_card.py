"""The start page has one card for each cause: since when, affected tenants, remedy and runbook."""

import shutil
from datetime import datetime, timedelta
from pathlib import Path

from portal.app import create_console
from portal.operations.console.app import _of_tenants
from portal.operations.console.status import Level, TenantStatus, Trouble
from tests.delivery.service import refused
from tests.operations.console.operator_console import OperatorConsole, words
from tests.parts.misbehaving import answer


def cards(console: OperatorConsole) -> list[str]:
    page = console.page("/")
    return [
        words(one)
        for one in page.partition('id="wrong"')[2].partition("</section>")[0].split('<li class="trouble ')[1:]
    ]


def refuse_key(console: OperatorConsole) -> datetime:
    """Make pages, deliveries and both lists of Acme fail."""
    key = console.scene.folder / "acme.key"
    key.write_text("k" * 20)
    file = console.parts.settings.tenants / "acme.toml"
    lines = [
        f'api_key = "file:{key}"' if line.startswith("api_key") else line for line in file.read_text().splitlines()
    ]
    file.write_text("\n".join(lines))
    console.scene.clock.pass_time(2)
    console.scene.acme.mood = lambda _: refused(answer({}, status=401))
    console.scene.acme.pages = answer({}, status=401)
    return console.scene.clock.now()


def test_a_rejected_key_is_one_card_with_its_file_and_start(console: OperatorConsole):
    console.scene.apply()
    began = refuse_key(console)
    console.scene.deliver()
    console.scene.clock.pass_time(3 * 60)
    console.scene.work.mirror_what_is_due()
    console.scene.work.index_what_is_due()
    console.scene.clock.pass_time(20 * 60)
    (card,) = [one for one in cards(console) if "Acme" in one]
    assert "Acme: The service rejects the API key" in card
    assert f"Failing since {began:%Y-%m-%d %H:%M}" in card
    assert "23 minutes" in card
    assert f"Put a new key into {console.scene.folder}/acme.key; checked again within a minute." in card
    assert "syncing jobs" in card
    assert "syncing candidates" in card
    assert "Runbook" in card
    assert 'href="/manual/troubleshoot#portalservicefails"' in console.page("/")


def test_outdated_lists_after_a_rejected_key_name_its_file(console: OperatorConsole):
    console.scene.work.mirror_what_is_due()
    refuse_key(console)
    console.scene.clock.pass_time(40 * 60)
    console.scene.work.mirror_what_is_due()
    (card,) = [one for one in cards(console) if "Acme: Jobs were last synced 40 minutes ago" in one]
    assert f"Put a new key into {console.scene.folder}/acme.key; checked again within a minute." in card


def test_an_outage_starts_with_the_first_failed_delivery_and_not_with_the_application(console: OperatorConsole):
    console.scene.apply()
    console.scene.acme.down()
    console.scene.clock.pass_time(10 * 60)
    console.scene.deliver()
    for _ in range(3):
        console.scene.deliver(after=15 * 60)
    (card,) = [one for one in cards(console) if "Acme: Nothing listens" in one]
    assert "(45 minutes)" in card


def test_the_start_of_a_failure_is_known_to_a_console_started_later(console: OperatorConsole):
    folder = Path(console.parts.settings.attachments.removeprefix("file:"))
    shutil.rmtree(folder, ignore_errors=True)
    folder.write_text("a file in its place")
    console.page("/")
    console.scene.clock.pass_time(7200)
    assert "(2 hours)" in storage(console)
    folder.unlink()
    folder.mkdir()
    console.scene.clock.pass_time(60)
    console.scene.until(lambda: not storage(console), "it is well")
    folder.rmdir()
    folder.write_text("again")
    console.scene.clock.pass_time(60)
    found = storage(console)
    assert "Failing since" in found
    assert "hour" not in found


def storage(console: OperatorConsole) -> str:
    """Return the card of file storage at a console that has just started; empty without one."""
    console.app = create_console(console.parts)
    return "".join(one for one in cards(console) if "File storage" in one)


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
