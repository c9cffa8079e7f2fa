"""The 303 leaves only after the COMMIT has reached the disk."""

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
import sqlalchemy as sa

import portal.platform.database.migrations
from portal.platform.database.db import Database
from tests.delivery.running_portal import running_portal
from tests.parts.missing import missing, program

CALLS = "pwrite64,fdatasync,fsync,write,writev,sendto,sendmsg"


def test_sqlite_syncs_its_log_between_its_last_write_and_the_response(tmp_path: Path):
    strace = program("strace", how="apt-get install strace")
    if subprocess.run([strace, "-o", "/dev/null", "true"], capture_output=True, check=False).returncode != 0:
        missing("strace may not trace here: allow ptrace (kernel.yama.ptrace_scope, the container's seccomp profile)")
    trace = tmp_path / "trace"
    with running_portal(tmp_path / "p", f"sqlite:///{tmp_path / 'portal.db'}") as at:
        at.portal("sync")
        argv = [strace, "-f", "-y", "-s", "60", "-e", f"trace={CALLS}", "-o", str(trace)]
        argv += [sys.executable, "-m", "portal.cli", "serve", "--port", str(at.port)]
        with (tmp_path / "log").open("wb") as log:
            process = psutil.Popen(
                argv,
                env={**os.environ, **at.environment},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        at.running["serve"] = process
        at.serving()
        reference = at.acknowledge(at.open_form())
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(20)
        at.running.clear()
        assert at.has_state("due", reference)
    _look(trace.read_text(errors="replace").splitlines())


def _look(lines: list[str]) -> None:
    answered = next(number for number, line in enumerate(lines) if "303 See Other" in line)
    before = lines[:answered]
    written = max(n for n, line in enumerate(before) if re.search(r"pwrite64\(\d+<[^>]*portal\.db-wal>", line))
    synced = [n for n, line in enumerate(before) if re.search(r"fdatasync\(\d+<[^>]*portal\.db-wal>", line)]
    assert max(synced) > written
    # strace splits a call that another thread interrupts; its end is then on a line of its own.
    start = before[max(synced)]
    thread = start.split()[0]
    ended = (
        start
        if "= 0" in start
        else next(one for one in before[max(synced) :] if one.startswith(thread) and "resumed" in one)
    )
    assert ended.rstrip().endswith("= 0") or "= 0" in ended
    kept = [n for n, line in enumerate(before) if re.search(r"fsync\(\d+<[^>]*attachments", line)]
    assert kept, "the CV was not synced"


def test_postgresql_commits_durably_whatever_its_own_setting_is(postgres):
    with postgres.database() as url:
        name = url.rpartition("/")[2]
        postgres._execute(f"ALTER DATABASE {name} SET synchronous_commit = off")
        opened = Database(url, migrations=Path(portal.platform.database.migrations.__path__[0]))
        try:
            with opened.write() as connection:
                assert connection.execute(sa.text("SHOW synchronous_commit")).scalar() == "on"
        finally:
            opened.close()


@pytest.mark.parametrize("level", ["remote_apply", "on"])
def test_a_stronger_durability_setting_of_postgresql_is_left_unchanged(postgres, level: str):
    with postgres.database() as url:
        name = url.rpartition("/")[2]
        postgres._execute(f"ALTER DATABASE {name} SET synchronous_commit = {level}")
        opened = Database(url, migrations=Path(portal.platform.database.migrations.__path__[0]))
        try:
            with opened.read() as connection:
                assert connection.execute(sa.text("SHOW synchronous_commit")).scalar() == level
        finally:
            opened.close()


def test_sqlite_syncs_at_every_commit(tmp_path: Path):
    opened = Database(
        f"sqlite:///{tmp_path / 'p.db'}", migrations=Path(portal.platform.database.migrations.__path__[0])
    )
    try:
        with opened.read() as connection:
            assert connection.execute(sa.text("PRAGMA synchronous")).scalar() == 2
            assert connection.execute(sa.text("PRAGMA journal_mode")).scalar() == "wal"
    finally:
        opened.close()
