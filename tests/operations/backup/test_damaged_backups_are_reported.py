"""Verifying a backup reports every damaged or missing file."""

import json
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from tests.delivery.running_portal import RunningPortal
from tests.operations.backup.machine import Backups

pytestmark = pytest.mark.parametrize("backups", ["sqlite"], indirect=True)


def _damage(path: Path) -> None:
    body = bytearray(path.read_bytes())
    body[len(body) // 2] ^= 1
    path.write_bytes(body)


def _some_file(backups: Backups) -> Path:
    return next(path for path in (backups.home / "files").rglob("*") if path.is_file())


def _newest(backups: Backups) -> Path:
    return max(path for path in backups.home.iterdir() if path.name.startswith("2"))


def _rewrite(backups: Backups, **changed: object) -> None:
    file = _newest(backups) / "manifest.json"
    told = json.loads(file.read_text())
    if name := changed.pop("name", None):
        told["databases"][0]["name"] = name
    file.write_text(json.dumps({**told, **changed}))


DAMAGE: dict[str, tuple[Callable[[Backups], object], str]] = {
    "portal": (lambda it: _damage(_newest(it) / "portal.sqlite"), "portal.sqlite is missing or damaged"),
    "tracker": (lambda it: (_newest(it) / "tracker.sqlite").unlink(), "tracker.sqlite is missing or damaged"),
    "a file": (lambda it: _damage(_some_file(it)), "1 of 2 files are missing or damaged"),
    "no file": (lambda it: _some_file(it).unlink(), "1 of 2 files are missing or damaged"),
    "tenant": (
        lambda it: (_newest(it) / "tenants" / "1").write_text("x"),
        "tenant files or keys are missing or damaged",
    ),
    "key": (lambda it: (_newest(it) / "keys" / "1").unlink(), "tenant files or keys are missing or damaged"),
    "databases": (lambda it: _rewrite(it, databases=[]), "manifest.json names no database of the portal"),
    "name": (lambda it: _rewrite(it, name="other"), "manifest.json cannot be read"),
    "size": (lambda it: _rewrite(it, file_bytes=10**400), "manifest.json cannot be read"),
    "list": (lambda it: _damage(_newest(it) / "files.gz"), "files.gz is damaged"),
    "manifest": (lambda it: (_newest(it) / "manifest.json").write_text("{}"), "manifest.json cannot be read"),
    "deep": (lambda it: (_newest(it) / "manifest.json").write_text("[" * 100_000), "manifest.json cannot be read"),
}


@pytest.fixture
def two_applications(backups: Backups) -> None:
    site = backups.site
    site.portal("tracker", "tenant", "add", "acme", "Acme")
    site.start("serve")
    site.serving()
    site.portal("sync")
    for _ in range(2):
        site.acknowledge(site.open_form())
    site.kill("serve")


def test_each_damaged_file_is_named(backups: Backups, two_applications: None):
    for number, (do, says) in enumerate(DAMAGE.values()):
        home = backups.home.with_name(f"backups-{number}")
        damaged = Backups(backups.site, home, backups.databases)
        damaged.take()
        assert damaged.run("backup", "verify", str(home)).returncode == 0
        do(damaged)
        done = damaged.run("backup", "verify", str(home))
        assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
        assert says in done.stderr
        # Nothing is restored either: existing data is not changed before the whole backup was read.
        elsewhere = Backups(site_elsewhere(backups), home, backups.databases)
        assert elsewhere.run("restore", str(home)).returncode == 1
        assert not list(elsewhere.site.folder.rglob("*.db"))


def site_elsewhere(backups: Backups) -> RunningPortal:
    """Return the settings of an empty machine with the key files that tenant files name."""
    folder = backups.home.with_name("elsewhere")
    folder.mkdir(exist_ok=True)
    told = {
        **backups.site.environment,
        "PORTAL_DATABASE_URL": f"sqlite:///{folder / 'portal.db'}",
        "TRACKER_DATABASE_URL": f"sqlite:///{folder / 'tracker.db'}",
        "PORTAL_TENANTS": str(folder / "tenants"),
        "PORTAL_ATTACHMENTS": f"file:{folder / 'attachments'}",
    }
    return replace(backups.site, folder=folder, environment=told)


def test_the_next_backup_replaces_a_damaged_copy(backups: Backups, two_applications: None):
    backups.take()
    _damage(_some_file(backups))
    assert backups.run("backup", "verify", str(backups.home)).returncode == 1
    (_newest(backups) / "files.gz").write_text("x")  # and a damaged list does not block later backups
    time.sleep(1.1)  # a backup is named after its second
    backups.take("--keep", "1")
    assert backups.run("backup", "verify", str(backups.home)).returncode == 0


def test_an_unverifiable_backup_does_not_count_as_the_newest_and_deletes_none(backups: Backups, two_applications: None):
    def taken_at() -> str:
        address = backups.site.environment["PORTAL_DATABASE_URL"].removeprefix("sqlite:///")
        with closing(sqlite3.connect(address)) as database:
            return str(database.execute("SELECT taken_at FROM backups").fetchone()[0])

    backups.take("--verify")
    first = taken_at()
    _damage(_some_file(backups))  # of the same size, so the next backup regards it as its copy
    time.sleep(1.1)
    done = backups.run("backup", str(backups.home), "--keep", "1", "--verify")
    assert (done.returncode, "1 of 2 files are missing or damaged" in done.stderr) == (1, True), done.stderr
    assert len(list(backups.home.glob("2*Z"))) == 2, "the older backup was deleted in favour of a damaged one"
    assert taken_at() == first
    time.sleep(1.1)
    backups.take("--keep", "14", "--verify")
    assert taken_at() > first


def test_files_not_named_by_tenant_files_are_not_restored(backups: Backups, two_applications: None):
    backups.take()
    outside = backups.home.with_name("outside")
    for changed in ({"keys": {"1": str(outside)}}, {"tenants": {"1": "../outside.toml", "2": "globex.toml"}}):
        _rewrite(backups, **changed)
        done = Backups(site_elsewhere(backups), backups.home, backups.databases).run("restore", str(backups.home))
        assert (done.returncode, "that no tenant file explains" in done.stderr) == (1, True), done.stderr
        assert not list(backups.home.parent.glob("outside*"))
