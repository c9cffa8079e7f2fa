"""A backup is restored only to empty places, and only with the secret keys that it needs."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from tests.operations.backup.machine import Backups

pytestmark = pytest.mark.parametrize("backups", ["sqlite"], indirect=True)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def _fill(address: str) -> None:
    with closing(sqlite3.connect(address.removeprefix("sqlite:///"))) as database:
        database.execute("CREATE TABLE kept (value INTEGER)")


IN_THE_WAY: dict[str, tuple[Callable[[Backups], object], str]] = {
    "database": (lambda it: _fill(it.site.environment["PORTAL_DATABASE_URL"]), "database of the portal is not empty"),
    "service": (lambda it: _fill(it.site.environment["TRACKER_DATABASE_URL"]), "database of the service is not empty"),
    "file": (lambda it: _write(it.site.folder / "attachments" / "acme" / "a-file", "x"), "file storage is not empty"),
    "tenant": (lambda it: _write(it.site.folder / "tenants" / "new.toml", ""), "there are tenant files in"),
    "key": (lambda it: _write(it.site.folder / "key", "another-key-of-the-service"), "is another key"),
    "secret": (lambda it: it.site.environment.update(PORTAL_SECRET_KEY="x" * 32), "secret keys are missing"),
}


@pytest.mark.parametrize("what", IN_THE_WAY)
def test_existing_data_or_missing_keys_stop_a_restore(backups: Backups, what: str):
    backups.site.portal("tracker", "tenant", "add", "acme", "Acme")
    backups.take()
    backups.lose_the_machine()
    put, says = IN_THE_WAY[what]
    put(backups)
    before = _files(backups.site.folder)
    done = backups.run("restore", str(backups.home))
    assert done.returncode == 1
    assert says in done.stderr
    assert "Traceback" not in done.stderr
    assert _files(backups.site.folder) == before


def _files(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
