"""A person erased after a backup stays erased, whatever is restored by whatever means."""

import io
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
import sqlalchemy as sa

from portal.app import create_app
from portal.background.outbox.queue import AfterRestore
from portal.background.outbox.states import OutboxState
from portal.cli import check_installation
from portal.delivery.envelopes import person, submissions
from portal.delivery.envelopes.tables import deliveries
from portal.delivery.kinds import KINDS
from portal.delivery.privacy_requests import requests
from portal.delivery.privacy_requests.tables import tombstones as rows
from portal.operations.backup import dumps
from portal.operations.backup.manifest import BackupError, newest
from portal.operations.backup.restore import RestoreTarget, restore, settle_earlier_state, verify
from portal.operations.backup.take import BackupSource, take
from portal.operations.rekey import rekey
from portal.people.index import index
from portal.platform.config.settings import Settings
from portal.services import Services
from portal.worker import WorkerThreads
from tests.builders import Portal
from tests.site.account.candidate import ADA, Visitor, open_acme
from tests.site.apply.applicant import Applicant

BOB = "bob@people.example"
OLD, NEW = "an-old-secret-for-tests-32-chars", "a-new-secret-for-tests-32-chars!"
DAY = 86_400
QUARTER = 14 * 60


def quiet(_what: str, _done: int, _total: int) -> None:
    pass


@dataclass
class Place:
    """A portal, the folder of its backups, and addresses of empty databases."""

    portal: Portal
    home: Path
    empty: Callable[[], str]
    settings: Mapping[str, object] = field(default_factory=dict)
    sent: dict[str, str] = field(default_factory=dict)

    @property
    def erasures(self) -> list[str]:
        return list(self.portal.parts.erasures.keys("_erased/"))

    def take(self) -> Path:
        self.portal.parts.clock.pass_time(60)
        parts, folder = self.portal.parts, self.portal.folder / "tenants"
        source = BackupSource(parts.database, None, parts.store, parts.erasures, folder, self.home, parts.seal)
        return take(source, self.home, parts.clock, report=quiet)

    def everybody_applies(self) -> None:
        for email in (ADA, BOB):
            with self.portal.browser() as client:
                receipt = Applicant(client, "/acme/jobs/job-1/apply").receipt(email=email)
            self.sent[email] = receipt.rpartition("/")[2].partition("?")[0]

    def ada_erases(self) -> None:
        """Sign in as Ada and erase everything; a worker does its housekeeping."""
        self.portal.parts.clock.pass_time(60)
        ada = Visitor(self.portal)
        ada.sign_in()
        assert ada.post("/profile/erase", ada.get("/profile/erase")).status_code == 200
        self.portal.work.run_housekeeping()
        assert len(self.erasures) == 1

    def reopen(self) -> None:
        """Restart every process with other settings."""
        old = self.portal
        clock, way = old.parts.clock, old.service.transport
        old.parts.close()
        parts = Services.open(replace(old.parts.settings, **self.settings), clock=clock, transport=way)  # type: ignore[arg-type]  the test names settings
        self.portal = Portal(parts, create_app(parts), WorkerThreads(parts), old.service, old.folder, old.keys)

    def elsewhere(self, folder: Path, attachments: Path | None = None, **settings: object) -> Services:
        """Return a new, empty machine."""
        chosen: dict[str, object] = {
            "secret_key": self.portal.parts.settings.secret_key,
            "database_url": self.empty(),
            "tenants": folder / "tenants",
            "attachments": f"file:{attachments or folder / 'attachments'}",
            "mail": f"file:{folder / 'mail'}",
            **self.settings,
            **settings,
        }
        clock, behind = self.portal.parts.clock, self.portal.service.transport
        return Services.open(Settings(**chosen), clock=clock, transport=behind)  # type: ignore[arg-type]  the test names settings

    def restored(self, backup: Path, parts: Services) -> int:
        """Return how many erasures were repeated."""
        return self.restore(backup, parts).erased

    def target(self, parts: Services) -> RestoreTarget:
        return RestoreTarget(
            portal=parts.database,
            tracker=parts.database,
            store=parts.store,
            erasures=parts.erasures,
            tenants=parts.settings.tenants,
            home=self.home,
            secrets=parts.seal.fingerprints,
            settle_service=lambda *_: 0,
        )

    def restore(self, backup: Path, parts: Services) -> AfterRestore:
        return restore(self.home, backup, self.target(parts), parts.clock, report=quiet)


@pytest.fixture
def told() -> dict[str, str]:
    """Return the settings of a test."""
    return {}


@pytest.fixture(params=["sqlite", "postgresql"])
def place(request: pytest.FixtureRequest, tmp_path: Path, told: dict[str, str]) -> Iterator[Place]:
    numbers = iter(range(100))
    with ExitStack() as stack:

        def empty() -> str:
            if request.param == "sqlite":
                return f"sqlite:///{tmp_path / f'{next(numbers)}.db'}"
            return str(stack.enter_context(request.getfixturevalue("postgres").database()))

        own = {name: value.replace("file:", f"file:{tmp_path}/") for name, value in told.items()}
        place = Place(open_acme(tmp_path / "site", database_url=empty(), **own), tmp_path / "backups", empty, own)
        yield place
        place.portal.parts.close()


def nothing_came_back(place: Place, parts: Services) -> None:
    """Check that nothing of Ada is stored or sent, that Bob's data is, and that her request to the company is open."""
    ada, bob = place.sent[ADA], place.sent[BOB]
    work = WorkerThreads(parts)
    work.deliver_what_is_due()
    assert submissions.find(parts.database, KINDS, bob).state is OutboxState.DELIVERED
    (hers,) = person.deliveries_of(parts.database, parts.seal, KINDS, tenant="acme", email=ADA)
    assert (hers.reference, hers.contents, hers.file_name, hers.delivered_at) == (ada, {}, None, None)
    assert hers.erased_at
    (his,) = person.deliveries_of(parts.database, parts.seal, KINDS, tenant="acme", email=BOB)
    assert his.contents
    assert not index.known(parts.database, parts.seal, "acme", ADA)
    (owed,) = requests.all_open(parts.database)
    assert owed.kind is requests.PrivacyRequestKind.ERASE
    assert requests.done(parts.database, parts.seal, owed.reference, parts.clock)


@pytest.mark.parametrize("told", [{"erasures": "file:elsewhere"}])
def test_erasures_recorded_elsewhere_are_repeated_after_losing_the_machine(place: Place, tmp_path: Path):
    place.everybody_applies()
    backup = place.take()
    place.ada_erases()
    parts = place.elsewhere(tmp_path / "new")
    assert place.restored(backup, parts) == 1
    nothing_came_back(place, parts)
    parts.close()


def test_erasures_in_a_newer_backup_are_repeated_after_restoring_an_older_one(place: Place, tmp_path: Path):
    place.everybody_applies()
    place.portal.parts.store.put("acme/with-a-file", io.BytesIO(b"x"), size=1, media_type="a/b", filename="x")
    attachments = place.portal.folder / "attachments"
    (attachments / "acme" / "not ours").write_text("somebody's")
    backup = place.take()
    place.ada_erases()
    assert newest(place.home) == backup
    place.take()
    parts = place.elsewhere(tmp_path / "new")
    assert place.restored(backup, parts) == 1
    nothing_came_back(place, parts)
    parts.close()


@pytest.mark.parametrize("is_declared", [True, False])
def test_erasures_are_repeated_after_restoring_only_the_database(place: Place, tmp_path: Path, *, is_declared: bool):
    place.everybody_applies()
    backup = place.take()
    place.ada_erases()
    folder = place.portal.folder
    parts = place.elsewhere(folder, folder / "attachments")
    (copy,) = [path for path in backup.iterdir() if path.name.startswith("portal.")]
    dumps.load(copy, parts.database, what="portal", report=quiet)
    if is_declared:
        assert settle_earlier_state(parts.database, parts.erasures, parts.clock.now(), parts.clock).erased == 1
    else:
        WorkerThreads(parts).run_housekeeping()
    nothing_came_back(place, parts)
    parts.close()


@pytest.mark.parametrize("told", [{"secret_key": OLD}])
def test_erasures_are_repeated_after_a_change_of_the_secret_key(place: Place, tmp_path: Path):
    place.everybody_applies()
    backup = place.take()
    place.settings = {"secret_key": NEW, "secret_key_fallbacks": (OLD,)}
    place.reopen()
    rekey(place.portal.parts.database, place.portal.parts.seal, quiet)
    place.ada_erases()
    place.take()
    parts = place.elsewhere(tmp_path / "new")
    assert place.restored(backup, parts) == 1
    nothing_came_back(place, parts)
    parts.close()


def test_applications_sent_after_the_erasure_are_kept(place: Place, tmp_path: Path):
    place.everybody_applies()
    backup = place.take()
    place.ada_erases()
    place.take()
    parts = place.elsewhere(tmp_path / "new")
    place.restored(backup, parts)
    place.portal.parts.clock.pass_time(60)
    with place.portal.browser() as client:
        again = Applicant(client, "/acme/jobs/job-1/apply").receipt(email=ADA, firstName="Augusta")
    place.portal.work.run_housekeeping()
    place.portal.work.deliver_what_is_due()
    reference = again.rpartition("/")[2].partition("?")[0]
    assert submissions.find(place.portal.parts.database, KINDS, reference).state is OutboxState.DELIVERED
    parts.close()


def test_a_tombstone_is_deleted_once_no_older_backup_exists(place: Place):
    place.everybody_applies()
    place.ada_erases()
    usual = place.portal.parts.settings.forget_after
    place.portal.parts.clock.pass_time(usual - 60)
    place.portal.work.run_housekeeping()
    assert len(place.erasures) == 1
    place.portal.parts.clock.pass_time(120)
    place.portal.work.run_housekeeping()
    with place.portal.parts.database.read() as connection:
        left = connection.scalar(sa.select(sa.func.count()).select_from(rows))
    assert (place.erasures, left) == ([], 0)


def test_a_new_storage_gets_earlier_records_of_erasures(place: Place, tmp_path: Path):
    place.everybody_applies()
    place.ada_erases()
    before = place.erasures
    place.settings = {"erasures": f"file:{tmp_path / 'another'}"}
    place.reopen()
    assert place.erasures == []
    place.portal.work.run_housekeeping()
    assert place.erasures == before


@pytest.mark.parametrize("told", [{"erasures": "file:elsewhere"}, {}])
def test_erasures_are_repeated_with_a_clock_a_quarter_of_an_hour_slow(place: Place, tmp_path: Path):
    clock = place.portal.parts.clock
    place.everybody_applies()
    clock.pass_time(60)
    backup = place.take()
    clock.pass_time(-QUARTER)
    place.ada_erases()
    clock.pass_time(QUARTER)
    place.take()
    parts = place.elsewhere(tmp_path / "new")
    assert place.restored(backup, parts) == 1
    nothing_came_back(place, parts)
    parts.close()


def test_data_received_clearly_after_the_erasure_is_kept(place: Place):
    """A database was restored and used before a worker noticed."""
    clock, folder = place.portal.parts.clock, place.portal.folder
    place.everybody_applies()
    backup = place.take()
    place.ada_erases()
    parts = place.elsewhere(folder, folder / "attachments")
    (copy,) = [path for path in backup.iterdir() if path.name.startswith("portal.")]
    dumps.load(copy, parts.database, what="portal", report=quiet)
    clock.pass_time(QUARTER + 120)
    portal = Portal(parts, create_app(parts), WorkerThreads(parts), place.portal.service, folder, place.portal.keys)
    with portal.browser() as client:
        again = Applicant(client, "/acme/jobs/job-1/apply").receipt(email=ADA, firstName="Augusta")
    portal.work.run_housekeeping()
    portal.work.deliver_what_is_due()
    reference = again.rpartition("/")[2].partition("?")[0]
    assert submissions.find(parts.database, KINDS, reference).state is OutboxState.DELIVERED
    hers = {d.reference: d for d in person.deliveries_of(parts.database, parts.seal, KINDS, tenant="acme", email=ADA)}
    assert (hers[place.sent[ADA]].contents, bool(hers[reference].contents)) == ({}, True)
    parts.close()


def test_an_erasure_before_the_backup_removes_nothing_newer(place: Place, tmp_path: Path):
    place.everybody_applies()
    place.ada_erases()
    place.take()
    with place.portal.parts.database.write() as connection:  # as if years had passed
        connection.execute(rows.delete())
    place.portal.parts.erasures.delete(place.erasures[0])
    place.portal.parts.clock.pass_time(DAY)
    backup = place.take()
    parts = place.elsewhere(tmp_path / "new")
    assert place.restored(backup, parts) == 0
    parts.close()


def test_a_damaged_record_blocks_no_other(place: Place, tmp_path: Path):
    place.everybody_applies()
    backup = place.take()
    place.ada_erases()
    store = place.portal.parts.erasures
    with store.open(place.erasures[0]) as body:
        good = body.read()
    nobody = re.sub(rb'"addresses":\[[^]]*\]', b'"addresses":[]', good)
    nul = re.sub(rb'"tenant":"acme"', rb'"tenant":"ac\\u0000me"', good)
    never = re.sub(rb'"due_at":"[^"]*"', b'"due_at":"0001-01-01T00:00:00+14:00"', good)
    for number, text in enumerate((b"{", nobody, never, nul)):
        # Sorted before the valid one, so it is read first.
        store.put(f"_erased/1-{number:032x}", io.BytesIO(text), size=len(text), media_type="a/b", filename="x")
    folder = place.portal.folder / "attachments" / "_erased"
    if folder.is_dir():
        (folder / "a b").write_text("no key")
        (folder / "1-folder").mkdir()
    place.take()
    parts = place.elsewhere(tmp_path / "new")
    assert place.restored(backup, parts) == 1
    nothing_came_back(place, parts)
    parts.close()


def test_damaged_records_are_counted_and_named_by_the_check(place: Place, tmp_path: Path):
    place.everybody_applies()
    backup = place.take()
    parts = place.elsewhere(tmp_path / "new")
    for key in (f"_erased/1-{0:032x}", "_erased/no-tombstone"):
        parts.erasures.put(key, io.BytesIO(b"{"), size=1, media_type="a/b", filename="x")
    assert place.restore(backup, parts).damaged == 1
    (line,) = check_installation.erasures(parts)
    assert not line.ok
    assert line.says.startswith("2 objects below _erased/ in PORTAL_ERASURES cannot be read as erasures")
    for key in list(parts.erasures.keys("_erased/")):
        parts.erasures.delete(key)
    assert list(check_installation.erasures(parts)) == []
    parts.close()


def test_a_damaged_copy_beside_the_backups_is_named_ignored_and_replaced(place: Place, tmp_path: Path):
    place.everybody_applies()
    backup = place.take()
    place.ada_erases()
    place.take()
    name, database = f"files/{place.erasures[0]}", place.portal.parts.database
    content = (copy := place.home / name).read_bytes()
    first = content.index(b'"addresses":["') + 14
    copy.write_bytes(content[:first] + (b"0" if content[first : first + 1] != b"0" else b"1") + content[first + 1 :])
    with pytest.raises(BackupError, match=f"1 of the erasures recorded in .* are damaged .{name}."):
        verify(place.home, newest(place.home), {"portal": database}, report=quiet)
    parts = place.elsewhere(tmp_path / "new")
    done = place.restore(backup, parts)
    assert (done.erased, done.damaged, done.damaged_copies) == (0, 0, (name,))
    parts.close()
    place.take()
    verify(place.home, newest(place.home), {"portal": database}, report=quiet)
    parts = place.elsewhere(tmp_path / "newer")
    assert place.restored(backup, parts) == 1
    nothing_came_back(place, parts)
    parts.close()


def test_a_starting_worker_delivers_nothing_for_erased_people(place: Place):
    place.everybody_applies()
    backup = place.take()
    place.ada_erases()
    folder = place.portal.folder
    parts = place.elsewhere(folder, folder / "attachments")
    (copy,) = [path for path in backup.iterdir() if path.name.startswith("portal.")]
    dumps.load(copy, parts.database, what="portal", report=quiet)
    stop = threading.Event()
    worker = threading.Thread(target=WorkerThreads(parts).run, args=(stop,), kwargs={"threads": 2})
    worker.start()
    for _ in range(600):
        if submissions.find(parts.database, KINDS, place.sent[BOB]).state is OutboxState.DELIVERED:
            break
        time.sleep(0.1)
    else:
        pytest.fail("Bob's was not delivered")
    stop.set()
    worker.join()
    with parts.database.read() as connection:
        query = sa.select(deliveries.c.delivered_at).where(deliveries.c.reference == place.sent[ADA])
        assert connection.scalar(query) is None
    parts.close()
