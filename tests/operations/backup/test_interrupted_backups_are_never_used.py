"""Interrupted backups never count as complete; only one runs at a time; old ones are deleted with their files."""

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.operations.backup.machine import Backups
from tests.parts.watch import sqlite_files

pytestmark = pytest.mark.parametrize("backups", ["sqlite"], indirect=True)


def _complete(home: Path) -> list[str]:
    return sorted(path.name for path in home.iterdir() if path.name.startswith("2") and not path.name.endswith(".part"))


def test_a_killed_backup_is_not_a_backup(backups: Backups):
    environment = {**os.environ, **sqlite_files.inherited(), **backups.site.environment}
    command = [sys.executable, "-m", "portal.cli", "backup", str(backups.home)]
    part = False
    for tenth in range(30):
        process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        ends = time.monotonic() + 60
        while process.poll() is None and not part and time.monotonic() < ends:
            part = any(backups.home.glob("*.part"))
        time.sleep(tenth / 200)
        process.send_signal(signal.SIGKILL)
        if process.wait(60) != 0:
            break
        part = False
    assert part
    before = _complete(backups.home)
    (backups.home / "20200101T000000Z.part").mkdir()
    made = backups.take()
    assert _complete(backups.home) == [*before, made.name]
    assert not list(backups.home.glob("*.part"))
    assert backups.run("backup", "verify", str(backups.home)).returncode == 0


def test_a_second_backup_is_rejected_meanwhile(backups: Backups):
    backups.take()
    with (backups.home / ".lock").open("r+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = backups.run("backup", str(backups.home))
    assert (done.returncode, done.stderr) == (
        1,
        f"portal: another backup is being made in {backups.home}: wait for it to end\n",
    )
    assert _later(backups)


def test_only_the_newest_backups_are_kept_with_their_files(backups: Backups):
    site = backups.site
    site.start("serve")
    site.serving()
    site.portal("sync")
    reference = site.acknowledge(site.open_form())
    first = backups.take()
    (stored,) = (site.folder / "attachments" / "acme").iterdir()
    copy = backups.home / "files" / "acme" / stored.name
    assert copy.read_bytes() == stored.read_bytes()
    assert copy.stat().st_mode & 0o777 == 0o600
    inode = copy.stat().st_ino
    second = _later(backups, "--keep", "2")
    assert copy.stat().st_ino == inode, "a file is copied once"
    site.portal("submissions", "discard", reference)
    assert not stored.exists()
    third = _later(backups, "--keep", "2")
    assert _complete(backups.home) == [second.name, third.name]
    assert not first.exists()
    assert copy.exists()
    _later(backups, "--keep", "1")
    assert not copy.exists()


def test_a_clock_set_back_deletes_no_backup(backups: Backups):
    made = backups.take()
    ahead = made.rename(made.with_name("29990101T000000Z"))
    done = backups.run("backup", str(backups.home), "--keep", "1")
    assert (done.returncode, "correct the clock" in done.stderr) == (1, True)
    assert _complete(backups.home) == [ahead.name]


def test_only_remains_of_backups_are_deleted(backups: Backups):
    (backups.home / "holiday.part").mkdir(parents=True)
    (backups.home / "20260101T000000Z.part").write_text("a file")
    backups.take()
    assert (backups.home / "holiday.part").is_dir()


def test_a_backup_folder_inside_the_files_or_missing_is_rejected(backups: Backups):
    files = backups.site.folder / "attachments"
    for folder, status in ((files / "backups", 1), (files, 1), (files.parent, 1), ("", 2), ("verify", 2)):
        assert backups.run("backup", str(folder)).returncode == status


def test_special_characters_in_file_names_are_backed_up(backups: Backups):
    home = backups.home.with_name("b#x?y%41")
    backups.site.portal("backup", str(home))
    backups.site.portal("backup", "verify", str(next(home.glob("2*"))))
    assert not home.with_name("b").exists()


def _later(backups: Backups, *options: str) -> Path:
    time.sleep(1.1)  # a backup is named after its second
    return backups.take(*options)
