"""Folders are 0700, databases, CVs and mails 0600, whatever the umask; `check` reports exceptions."""

import os
import pwd
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

import pytest
from click.testing import CliRunner

from portal.adapters.mail.message import Message
from portal.adapters.mail.transports import FileMailer
from portal.adapters.storage.local import LocalStore
from portal.cli import portal
from portal.demo import folder as demo
from portal.platform.clock import SystemClock
from portal.platform.config import private_files
from tests.builders import SECRET
from tests.parts.missing import missing
from tests.parts.process import private_folder

NOBODY = 65_534
IN_HERE = {
    "PORTAL_SECRET_KEY": SECRET,
    "PORTAL_DATABASE_URL": "sqlite:///portal.db",
    "TRACKER_DATABASE_URL": "sqlite:///tracker.db",
}


@contextmanager
def umask(value: int) -> Iterator[None]:
    before = os.umask(value)
    try:
        yield
    finally:
        os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    return {str(path.relative_to(folder)): stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*")}


def is_right(folder: Path) -> bool:
    return all(mode == (0o700 if (folder / name).is_dir() else 0o600) for name, mode in modes(folder).items())


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o077])
def test_databases_cvs_and_mails_are_private_under_any_umask(tmp_path: Path, mask: int):
    home = tmp_path / "home"
    home.mkdir()
    environment = {"PORTAL_HOME": str(home), "PORTAL_SECRET_KEY": SECRET, "PORTAL_DATABASE_URL": "sqlite:///a/b/p.db"}
    with umask(mask):
        assert CliRunner().invoke(portal, ["db", "upgrade"], env=environment).exit_code == 0
        LocalStore(home / "c" / "d").put("acme/x", BytesIO(b"CV"), size=2, media_type="text/plain", filename="cv")
        letter = Message("a@b.example", "c@d.example", "s", "t", "r", datetime(2026, 1, 1, tzinfo=UTC))
        FileMailer(home / "e" / "f").send(letter)
    assert {"a/b/p.db", "c/d/acme/x"} <= modes(home).keys()
    assert is_right(home), modes(home)


def test_the_owner_of_an_unreadable_file_is_reported(tmp_path: Path):
    (tmp_path / "key").touch(0o000)
    os.chown(tmp_path / "key", NOBODY if os.geteuid() == 0 else -1, -1)
    me = pwd.getpwuid(os.geteuid()).pw_name
    mine = f"{tmp_path}/key belongs to {me}, and this process runs as {me}: run `chmod u+rw {tmp_path}/key` as root"
    others = f"{tmp_path}/key belongs to nobody, and this process runs as {me}: run `chown {me} {tmp_path}/key` as root"
    told = private_files.why_unreadable(tmp_path / "key", PermissionError())
    assert told == (others if os.geteuid() == 0 else mine)


def test_a_database_created_by_root_belongs_to_the_owner_of_its_folder(tmp_path: Path):
    if os.geteuid() != 0:
        missing("only root can make a file that is another user's: run this test as root")
    os.chown(tmp_path, NOBODY, NOBODY)
    done = CliRunner().invoke(portal, ["db", "upgrade"], env={**IN_HERE, "PORTAL_HOME": str(tmp_path)})
    assert done.exit_code == 0
    added = CliRunner().invoke(
        portal, ["tracker", "tenant", "add", "a", "A"], env={"PORTAL_HOME": str(tmp_path), **IN_HERE}
    )
    assert added.exit_code == 0
    assert {path.stat().st_uid for path in tmp_path.glob("*.db*")} == {NOBODY}


@contextmanager
def as_another_user() -> Iterator[None]:
    """Run as another user, because root can read everything."""
    if os.geteuid() != 0:
        missing("only root can become another user: run this test as root")
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_backup_names_the_services_database_and_its_owner():
    with private_folder(owner="nobody") as home:
        environment = {**IN_HERE, "PORTAL_HOME": str(home)}
        assert CliRunner().invoke(portal, ["db", "upgrade"], env=environment).exit_code == 0
        assert CliRunner().invoke(portal, ["tracker", "tenant", "add", "a", "A"], env=environment).exit_code == 0
        os.chown(home / "tracker.db", 0, 0)
        with as_another_user():
            done = CliRunner().invoke(portal, ["backup", str(home / "backups")], env=environment)
    whose = f"{home}/tracker.db belongs to root, and this process runs as nobody: run `chown nobody {home}/tracker.db`"
    assert f"the service's database: {whose}" in str(done.exception)


def test_files_that_sqlite_creates_beside_its_database_have_its_mode(tmp_path: Path):
    from portal.platform.database.db import Database
    from tests.schemas import PORTAL

    with umask(0):
        database = Database(f"sqlite:///{tmp_path / 'p.db'}", migrations=PORTAL)
        database.upgrade()
        with database.read() as connection:
            connection.exec_driver_sql("SELECT 1")
            found = modes(tmp_path)
        database.close()
    assert {"p.db", "p.db-wal", "p.db-shm"} <= found.keys()
    assert set(found.values()) == {0o600}


def test_the_data_of_the_demo_is_private(tmp_path: Path):
    with umask(0):
        demo.prepare(
            tmp_path / "demo",
            portal_url="http://127.0.0.1:1",
            tracker_base_url="http://127.0.0.1:2",
            clock=SystemClock(),
            progress=lambda _: None,
        )
    assert is_right(tmp_path / "demo"), modes(tmp_path / "demo")


def test_a_leftover_temporary_file_does_not_prevent_writing(tmp_path: Path):
    (tmp_path / ".key.new").write_text("half")
    private_files.write(tmp_path / "key", "whole")
    assert (tmp_path / "key").read_text() == "whole"
    assert modes(tmp_path) == {"key": 0o600}


def check(home: Path) -> str:
    environment = {"PORTAL_HOME": str(home), "PORTAL_SECRET_KEY": SECRET}
    done = CliRunner().invoke(portal, ["check"], env=environment)
    (line,) = (line for line in done.stdout.splitlines() if line[8:].startswith("files "))
    return line


def test_check_reports_what_others_can_read_and_how_to_fix_it(tmp_path: Path):
    CliRunner().invoke(portal, ["db", "upgrade"], env={"PORTAL_HOME": str(tmp_path), "PORTAL_SECRET_KEY": SECRET})
    LocalStore(tmp_path / "instance" / "attachments").put(
        "acme/x", BytesIO(b"CV"), size=2, media_type="text/plain", filename="cv"
    )
    assert check(tmp_path).startswith("ok ")
    (tmp_path / "instance" / "portal.db").chmod(0o640)
    (tmp_path / "instance" / "attachments" / "acme").chmod(0o755)
    line = check(tmp_path)
    assert line.startswith("warn ")
    mend = line.partition(": run ")[2].partition("; see ")[0]
    assert mend.startswith(f"chmod -R go= {tmp_path}/instance/portal.db* ")
    assert mend.endswith(f" {tmp_path}/instance/attachments")
    assert os.system(mend) == 0  # noqa: S605  the stated remedy, literally
    assert check(tmp_path).startswith("ok ")


def test_the_storage_key_of_a_cv_is_in_no_line(tmp_path: Path):
    LocalStore(tmp_path / "instance" / "attachments").put(
        "acme/x7Ab", BytesIO(b"CV"), size=2, media_type="text/plain", filename="cv"
    )
    (tmp_path / "instance" / "attachments" / "acme" / "x7Ab").chmod(0o644)
    line = check(tmp_path)
    assert line.startswith("warn ")
    assert "x7Ab" not in line
