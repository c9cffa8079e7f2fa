"""The portal, including processes that read CVs, works under the restrictions of its systemd units."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx
import pytest

from tests.builders import SECRET
from tests.parts.as_systemd import allowed
from tests.parts.missing import missing, program
from tests.parts.process import free_port, private_folder, running
from tests.schemas import PORTAL, TRACKER, sqlite_copy

pytestmark = pytest.mark.verify

ROOT = Path(__file__).parents[2]
CONF = ROOT / "deploy" / "systemd" / "portal-.service.d" / "50-portal.conf"
NOBODY = 65_534


@pytest.fixture
def home() -> Iterator[Path]:
    """The portal's own folder, the only one that it may write to."""
    program("systemd-analyze", how="apt-get install systemd")
    if os.geteuid() != 0:
        missing("only root can take rights away as systemd does: run this test as root")
    with private_folder(owner="nobody") as folder:
        (folder / "tenants").mkdir()
        sqlite_copy(folder / "portal.db", PORTAL)
        sqlite_copy(folder / "tracker.db", TRACKER)
        for path in folder.iterdir():
            os.chown(path, NOBODY, NOBODY)
        yield folder


def settings(home: Path) -> dict[str, str]:
    return {
        "PORTAL_SECRET_KEY": SECRET,
        "PORTAL_DATABASE_URL": f"sqlite:///{home / 'portal.db'}",
        "TRACKER_DATABASE_URL": f"sqlite:///{home / 'tracker.db'}",
        "PORTAL_TENANTS": str(home / "tenants"),
        "PORTAL_ATTACHMENTS": f"file:{home / 'attachments'}",
        "PORTAL_MAIL": f"file:{home / 'mail'}",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": os.pathsep.join([str(ROOT), os.environ["PYTHONPATH"]]),
    }


def under_the_rules(home: Path, *words: str, conf: Path = CONF) -> list[str]:
    portal = [sys.executable, "-m", "portal.cli", *words]
    return [sys.executable, "-m", "tests.parts.as_systemd", str(conf), str(home), *portal]


def done(home: Path, *words: str, conf: Path = CONF) -> str:
    command = under_the_rules(home, *words, conf=conf)
    environment = {**os.environ, **settings(home)}
    said = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=ROOT, env=environment)
    return said.stdout + said.stderr


def test_cvs_are_inspected_and_files_are_written(home: Path):
    said = done(home, "check")
    lines = {line[8:].split("  ")[0].strip(): line.split()[0] for line in said.splitlines() if line}
    assert lines["inspection"] == "ok", said
    assert lines["attachments"] == "ok", said
    assert lines["database schema"] == "ok", said
    assert {path.stat().st_uid for path in home.rglob("*")} == {NOBODY}
    assert (home / "attachments").stat().st_mode & 0o077 == 0


def test_a_backup_is_made_and_verified(home: Path):
    said = done(home, "backup", str(home / "backups"), "--keep", "14", "--verify")
    assert "needs      secret keys with the fingerprints" in said, said
    assert list((home / "backups").glob("*Z/manifest.json"))


def test_the_portal_cannot_write_to_other_folders(home: Path):
    # Not in /dev/shm, where tests have their files and systemd permits writing.
    with private_folder(owner="nobody", within=Path("/var/tmp")) as elsewhere:  # noqa: S108  a private folder in it
        for place in (home, elsewhere, Path("/opt")):
            program = f"import pathlib; pathlib.Path({str(place / 'canary')!r}).write_text('here')"
            command = [*under_the_rules(home)[:5], sys.executable, "-c", program]
            said = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=ROOT)
            assert (said.returncode == 0) is (place == home), said.stderr
            assert (place / "canary").exists() is (place == home)


@pytest.mark.parametrize("words", [("serve",), ("tracker", "serve")], ids=" ".join)
def test_a_server_responds_and_stops_on_request(home: Path, words: tuple[str, ...]):
    port = free_port()
    address = f"http://127.0.0.1:{port}/healthz" if words == ("serve",) else f"http://127.0.0.1:{port}/openapi.json"

    def ready() -> bool:
        try:
            return httpx.get(address, trust_env=False, timeout=5).is_success
        except httpx.HTTPError:
            return False

    command = under_the_rules(home, *words, "--port", str(port))
    log = home.parent / f"{home.name}.log"
    with running(command, log=log, ready=ready, env=settings(home), cwd=ROOT) as process:
        process.terminate()
        assert process.wait(60) == 0, log.read_text()
    assert "Traceback" not in log.read_text()
    log.unlink()


def test_a_worker_works_and_stops_on_request(home: Path):
    log = home.parent / f"{home.name}.log"

    def ready() -> bool:
        with closing(sqlite3.connect(home / "portal.db")) as database:
            return bool(database.execute("select count(*) from outbox_workers").fetchone()[0])

    with running(under_the_rules(home, "worker"), log=log, ready=ready, env=settings(home), cwd=ROOT) as process:
        process.terminate()
        assert process.wait(60) == 0, log.read_text()
    assert "Traceback" not in log.read_text()
    log.unlink()


def test_a_restriction_that_is_too_strict_is_detected(home: Path, tmp_path: Path):
    strict = tmp_path / "strict.conf"
    strict.write_text(CONF.read_text() + "SystemCallFilter=~@file-system\n")
    assert "inspection" not in done(home, "check", conf=strict)


def test_dangerous_system_calls_are_not_allowed():
    program("systemd-analyze", how="apt-get install systemd")
    calls = allowed(CONF.read_text())
    assert {"read", "openat", "prlimit64", "landlock_restrict_self"} <= calls
    assert not calls & {"mount", "ptrace", "bpf", "kexec_load", "init_module", "reboot", "setuid", "chown", "keyctl_"}
