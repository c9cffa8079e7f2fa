"""Litestream and PostgreSQL's archive, as the manual configures them, recover the databases after a kill under load."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import LiteralString

import httpx
import psycopg
import pytest

from tests.delivery.running_portal import RunningPortal, running_portal
from tests.parts import command
from tests.parts.postgres import OWNER, Postgres, binaries, running_postgres
from tests.parts.process import private_folder

pytestmark = pytest.mark.verify
ROOT = Path(__file__).parents[3]
LITESTREAM = Path(sys.executable).with_name("litestream")
MANUAL = (ROOT / "docs/operating/backup-and-upgrade.md").read_text(encoding="utf-8")


@pytest.fixture
def replicated(tmp_path: Path) -> Iterator[tuple[RunningPortal, dict[str, str]]]:
    """A site on SQLite with Litestream beside it, and Litestream's environment."""
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    told = {**os.environ, "PORTAL_HOME": str(home), "REPLICA": f"file://{tmp_path}/replica"}
    addresses = {"TRACKER_DATABASE_URL": f"sqlite:///{home / 'tracker.db'}"}
    with running_portal(tmp_path / "site", f"sqlite:///{home / 'portal.db'}", **addresses) as site:
        site.services["globex"].shows_applications = True
        site.portal("tracker", "tenant", "add", "acme", "Acme")
        with (tmp_path / "litestream.log").open("ab") as log:
            replica = subprocess.Popen([LITESTREAM, "replicate", *_configured()], env=told, stdout=log, stderr=log)
        try:
            yield site, told
        finally:
            replica.kill()
            replica.wait()


def _configured() -> list[str]:
    return ["-config", str(ROOT / "deploy/litestream/litestream.yml")]


def test_sqlite_is_recovered_by_litestream(replicated: tuple[RunningPortal, dict[str, str]], tmp_path: Path):
    site, told = replicated
    site.start("serve", "worker")
    site.serving()
    site.until(lambda: _status(site, "acme/jobs/job-1/apply") == 200, "the jobs are there")
    kept = [site.acknowledge(site.open_form(tenant)) for tenant in ("acme", "globex") * 8]
    site.until(lambda: site.has_state("delivered", *kept[:4]), "some are delivered")
    time.sleep(5)  # the replica lags by a second
    moment = datetime.now(UTC).replace(microsecond=0)
    time.sleep(2)
    lost = [site.acknowledge(site.open_form(tenant)) for tenant in ("acme", "globex") * 4]
    site.until(lambda: site.has_state("delivered", lost[1]), "some are delivered since")
    time.sleep(3)
    site.kill("serve", "worker")
    home = Path(told["PORTAL_HOME"])
    for file in home.iterdir():
        shutil.rmtree(file) if file.is_dir() else file.unlink()

    until = f"{moment:%Y-%m-%dT%H:%M:%SZ}"
    for name, options in (("tracker", []), ("portal", ["-timestamp", until])):
        words = [LITESTREAM, "restore", *_configured(), "-integrity-check", "full", *options, home / f"{name}.db"]
        subprocess.run(words, env=told, check=True, capture_output=True, umask=0o077)
    assert {file.stat().st_mode & 0o777 for file in home.glob("*.db")} == {0o600}
    _check_recovered(site, until, kept, lost)


def _check_recovered(site: RunningPortal, until: str, kept: list[str], lost: list[str]) -> None:
    """Check that earlier applications are delivered once, and that receipts of later ones lead to the form."""
    early = f"{datetime.now(UTC) - timedelta(days=1):%Y-%m-%dT%H:%M:%SZ}"
    refused = command.portal("db", "restored", early, environment=site.environment)
    assert refused.returncode == 1
    assert "a worker wrote at" in refused.stderr
    assert "deliveries" in site.portal("db", "restored", until)
    site.portal("check")
    site.start("serve", "worker")
    site.serving()
    assert {_status(site, f"{site.acknowledged[one]}/applications/{one}") for one in kept} == {200}
    assert {_status(site, f"{site.acknowledged[one]}/applications/{one}") for one in lost} == {410}
    for one in lost:
        del site.acknowledged[one]
    site.settled()
    assert {site.services[site.acknowledged[one]].counts()[one] for one in kept} == {1}


def test_postgresql_is_recovered_from_its_archive(tmp_path: Path):
    with ExitStack() as stack:
        folder = stack.enter_context(private_folder(owner=OWNER))
        (archive := folder / "archive").mkdir(mode=0o700)
        sample = (ROOT / "deploy/postgresql/archive.conf").read_text(encoding="utf-8")
        settings = {name: value.strip("'") for name, value in re.findall(r"(?m)^(\w+) = (.*)$", _in(sample, archive))}
        _give_away(archive)
        server = stack.enter_context(running_postgres(settings=settings))
        addresses = {"TRACKER_DATABASE_URL": server.url(server.create(name="tracker"))}
        site = stack.enter_context(
            running_portal(tmp_path / "site", server.url(server.create(name="portal")), **addresses)
        )
        site.services["globex"].shows_applications = True
        site.portal("tracker", "tenant", "add", "acme", "Acme")
        site.start("serve", "worker")
        site.serving()
        site.until(lambda: _status(site, "acme/jobs/job-1/apply") == 200, "the jobs are there")
        copied = [binaries() / "pg_basebackup", "-h", "127.0.0.1", "-p", str(server.port), "-U", "portal"]
        subprocess.run([*copied, "-D", folder / "base", "-c", "fast"], check=True, capture_output=True)
        kept = [site.acknowledge(site.open_form(tenant)) for tenant in ("acme", "globex") * 8]
        site.until(lambda: site.has_state("delivered", *kept[:4]), "some are delivered")
        time.sleep(2)
        moment = datetime.now(UTC).replace(microsecond=0)
        lost = [site.acknowledge(site.open_form(tenant)) for tenant in ("acme", "globex") * 4]
        site.until(lambda: site.has_state("delivered", lost[1]), "some are delivered since")
        (archived,) = _asked(
            server, "SELECT pg_walfile_name(pg_switch_wal())"
        )  # as archive_timeout would do a minute later
        site.until((archive / str(archived)).exists, "the log is archived")
        site.kill("serve", "worker")
        os.kill(server.pid, signal.SIGKILL)

        said = re.search(r"(?s)recovery.signal.*?```\n(.*?)```", MANUAL)
        assert said
        with (folder / "base" / "postgresql.auto.conf").open("a") as conf:
            conf.write(_in(said[1], archive).replace("2026-11-26 11:58:00+00", f"{moment:%Y-%m-%d %H:%M:%S}+00"))
        (folder / "base" / "recovery.signal").touch()
        _give_away(folder / "base")
        recovered = stack.enter_context(running_postgres(data=folder / "base"))
        site.environment |= {
            "PORTAL_DATABASE_URL": recovered.url("portal"),
            "TRACKER_DATABASE_URL": recovered.url("tracker"),
        }
        site.until(lambda: _asked(recovered, "SELECT pg_is_in_recovery()") == (False,), "it is recovered")
        _check_recovered(site, f"{moment:%Y-%m-%dT%H:%M:%SZ}", kept, lost)


def _in(text: str, archive: Path) -> str:
    return text.replace("/mnt/archive", str(archive))


def _give_away(folder: Path) -> None:
    if OWNER:
        subprocess.run(["chown", "-R", OWNER, folder], check=True)


def _asked(server: Postgres, query: LiteralString) -> tuple[object, ...]:
    address = f"host=127.0.0.1 port={server.port} user=portal dbname=postgres"
    with psycopg.connect(address, autocommit=True) as connection:
        return connection.execute(query).fetchone() or ()


def _status(site: RunningPortal, path: str) -> int:
    return httpx.get(f"{site.url}/{path}", trust_env=False, timeout=30).status_code
