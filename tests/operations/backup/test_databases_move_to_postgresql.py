"""Portal and service move from SQLite to PostgreSQL while people apply; nothing is lost or duplicated."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import httpx
import psycopg
import pytest

from portal.operations.database_copy import name_of
from portal.platform.database import migrations
from portal.platform.database.db import Database
from portal.platform.database.schema import SchemaMark
from tests.delivery.running_portal import RunningPortal, running_portal
from tests.parts import command
from tests.parts.postgres import Postgres


@dataclass
class Move:
    """A site on SQLite, and the targets of its databases: setting → (from, to)."""

    site: RunningPortal
    databases: dict[str, tuple[str, str]]

    def copy(self, *options: str) -> list[str]:
        return [self.site.portal("db", "copy", *pair, *options) for pair in self.databases.values()]

    def refused(self, *options: str) -> str:
        pair = self.databases["PORTAL_DATABASE_URL"]
        done = command.portal("db", "copy", *pair, *options, environment=self.site.environment)
        assert done.returncode == 1
        assert "Traceback" not in done.stderr
        return done.stderr

    def switch(self) -> None:
        self.site.environment |= {name: to for name, (_, to) in self.databases.items()}


@pytest.fixture
def move(tmp_path: Path, postgres: Postgres) -> Iterator[Move]:
    with postgres.database() as portal, postgres.database() as tracker:
        pairs = {
            "PORTAL_DATABASE_URL": (f"sqlite:///{tmp_path / 'portal.db'}", portal),
            "TRACKER_DATABASE_URL": (f"sqlite:///{tmp_path / 'tracker.db'}", tracker),
        }
        addresses = {"TRACKER_DATABASE_URL": pairs["TRACKER_DATABASE_URL"][0]}
        with running_portal(tmp_path / "site", pairs["PORTAL_DATABASE_URL"][0], **addresses) as site:
            site.services["globex"].shows_applications = True
            site.portal("tracker", "tenant", "add", "acme", "Acme")
            yield Move(site, pairs)


def _status(site: RunningPortal, path: str) -> int:
    return httpx.get(f"{site.url}/{path}", trust_env=False, timeout=30).status_code


def test_everything_arrives_exactly_once(move: Move):
    site = move.site
    site.start("serve", "worker")
    site.until(lambda: _is_open(site), "the jobs are there")
    site.acknowledge(site.open_form("acme"))
    assert "are equal" in "".join(move.copy())
    for name in site.services:
        site.acknowledge(site.open_form(name))
    site.settled()
    again = move.copy()
    assert "written 0" not in again[0]
    assert "written 0, deleted 0" in again[1], "nothing of the service has changed"
    assert "the source is in use" in move.refused("--finish")
    site.kill("worker")
    waiting = [site.acknowledge(site.open_form(name)) for name in site.services]
    draft = site.open_form("acme")
    site.kill("serve")
    move.copy("--finish")
    started = command.portal("sync", environment=site.environment)
    assert "the database was moved" in started.stderr + started.stdout
    move.switch()
    site.start("serve", "worker")
    site.serving()
    assert _is_open(site), "the first page after the move is not empty"
    assert {_status(site, f"{tenant}/applications/{one}") for one, tenant in site.acknowledged.items()} == {200}
    site.acknowledge(draft)
    site.settled()
    assert {site.services[site.acknowledged[one]].counts()[one] for one in waiting} == {1}
    assert "acme" in site.portal("sync", "--full", "acme")


def _is_open(site: RunningPortal) -> bool:
    try:
        return all(_status(site, f"{slug}/jobs/job-1/apply") == 200 for slug in site.services)
    except httpx.HTTPError:
        return False


def test_an_incomplete_target_is_rejected(move: Move):
    site = move.site
    site.portal("sync")
    move.copy()
    of_source = dict(site.environment)
    move.switch()
    done = command.portal("sync", environment=site.environment)
    assert "is being copied to" in done.stderr + done.stdout
    site.environment |= of_source
    move.copy("--finish")
    assert "was moved" in move.refused()


@pytest.mark.parametrize("kill", [signal.SIGKILL, signal.SIGINT])
def test_an_interrupted_move_is_continued(move: Move, kill: signal.Signals):
    site = move.site
    site.portal("sync")
    words = [sys.executable, "-m", "portal.cli", "db", "copy", *move.databases["PORTAL_DATABASE_URL"]]
    for seconds in (1.0, 1.5, 2.0):
        with subprocess.Popen(words, env={**os.environ, **site.environment}, stderr=subprocess.DEVNULL) as process:
            with suppress(subprocess.TimeoutExpired):
                process.wait(seconds)
            process.send_signal(kill)
    move.copy()
    move.copy("--finish")
    move.switch()
    site.start("serve")
    site.until(lambda: _is_open(site), "the jobs are there")


def test_another_database_is_not_overwritten(move: Move):
    move.site.portal("sync")
    to = move.databases["PORTAL_DATABASE_URL"][1]
    move.site.environment["PORTAL_DATABASE_URL"] = to
    move.site.portal("db", "upgrade")
    assert "the target is not empty" in move.refused()


def _with_a_table(move: Move) -> None:
    move.copy()
    with psycopg.connect(move.databases["PORTAL_DATABASE_URL"][1].replace("+psycopg", ""), autocommit=True) as other:
        other.execute("CREATE TABLE intruder (a integer)")


def _moved(move: Move) -> None:
    move.copy()
    move.copy("--finish")


def _written(move: Move, name: str, text: str) -> str:
    (move.site.folder / name).write_text(text)
    return f"sqlite:///{move.site.folder / name}"


WRONG: dict[str, tuple[Callable[[Move, str, str], tuple[str, ...]], str]] = {
    "turned round": (lambda _, source, to: (to, source), "from SQLite to PostgreSQL"),
    "no such file": (lambda _, source, to: (f"{source}x", to), "is not there, or not an SQLite database"),
    "a folder": (lambda move, _, to: (f"sqlite:///{move.site.folder}", to), "is not there, or not an SQLite"),
    "a text": (lambda move, _, to: (_written(move, "text", "x" * 5_000), to), "not an SQLite database"),
    "empty": (lambda move, _, to: (_written(move, "empty", ""), to), "is no database of the portal or of the service"),
    "in memory": (lambda _, __, to: ("sqlite://", to), "FROM"),
    "another engine": (lambda _, source, to: (source, to.replace("postgresql+psycopg", "mysql")), "TO"),
    "no such database": (lambda _, source, to: (source, f"{to}x"), "there is no database"),
    "no name": (lambda _, source, to: (source, to.rpartition("/")[0]), "it names no database"),
    "not running": (lambda _, source, to: (source, re.sub(r":\d+/", ":1/", to)), "TO cannot be used"),
    "moved": (lambda move, source, to: (_moved(move), (source, to, "--finish"))[1], "was moved already"),
    "another table": (lambda move, source, to: (_with_a_table(move), (source, to))[1], "(intruder): drop them"),
}


@pytest.mark.parametrize("what", WRONG)
def test_errors_of_a_move_are_reported(move: Move, what: str):
    arguments, says = WRONG[what]
    done = command.portal(
        "db", "copy", *arguments(move, *move.databases["PORTAL_DATABASE_URL"]), environment=move.site.environment
    )
    assert done.returncode in {1, 2}
    assert says in done.stderr, done.stderr
    assert "uncaught" not in done.stderr
    assert "Traceback" not in done.stderr


def test_a_database_is_marked_as_restored_only_while_unused(move: Move):
    site = move.site
    site.start("serve")
    site.serving()
    for instant in (f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}", "0001-01-01T00:00:00Z", "yesterday"):
        done = command.portal("db", "restored", instant, environment=site.environment)
        assert done.returncode in {1, 2}
        assert "in use" in done.stderr or "INSTANT" in done.stderr


def test_an_interrupted_completion_can_be_repeated(move: Move):
    move.site.portal("sync")
    move.copy()
    source = Database(move.databases["PORTAL_DATABASE_URL"][0], migrations=Path(migrations.__path__[0]))
    with source.write() as connection:  # as if killed between the two marks
        target = Database(move.databases["PORTAL_DATABASE_URL"][1], migrations=source.migrations)
        source.mark(connection, SchemaMark.MOVED, of=name_of(target))
        target.close()
    source.close()
    assert "was moved" in move.refused()
    move.copy("--finish")
    move.switch()
    assert "acme" in move.site.portal("sync")


def test_a_database_is_moved_to_one_target_only(move: Move, postgres: Postgres):
    move.site.portal("sync")
    source = move.databases["PORTAL_DATABASE_URL"][0]
    with postgres.database() as second:
        move.copy()
        move.site.portal("db", "copy", source, second)
        move.copy("--finish")
        done = command.portal("db", "copy", source, second, "--finish", environment=move.site.environment)
        assert (done.returncode, "was moved" in done.stderr) == (1, True)
    move.switch()
    assert "acme" in move.site.portal("sync")
