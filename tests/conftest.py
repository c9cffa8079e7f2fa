"""Fixtures that every test can ask for: databases, real servers, and the guard that keeps sockets on this machine.

The product is imported inside of fixtures, so that one broken package fails its own tests alone.
"""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.parts.both_databases import is_on_postgresql, sql_differs
from tests.parts.leaks import WITNESS
from tests.parts.loopback import Guard
from tests.parts.watch import sqlite_files

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from portal.platform.database.db import Database
    from tests.parts.clamd import RunningClamd
    from tests.parts.demo import RunningDemo
    from tests.parts.html import HtmlChecker
    from tests.parts.postgres import Postgres
    from tests.parts.radosgw import RunningRadosgw
    from tests.parts.redis import RunningRedis
    from tests.parts.smtp import SmtpServer

_IN_MEMORY = Path("/dev/shm")  # noqa: S108  pytest makes folders of its own in there
if "TMPDIR" not in os.environ and _IN_MEMORY.is_dir() and shutil.disk_usage(_IN_MEMORY).free > 8 * 1024**3:
    # Databases sync to disk about twenty times in a test; on a real disk that takes a third of a run.
    os.environ["TMPDIR"] = tempfile.tempdir = str(_IN_MEMORY)

_guard = Guard()
_guard.install()
WITNESS.install()
_opened_files = Path(tempfile.mkdtemp(prefix="careers-opened-")) / "report"
_opened_files.touch()
_opened_files.chmod(0o666)  # some processes that tests start run as another user
_opened_files.parent.chmod(0o711)
atexit.register(shutil.rmtree, _opened_files.parent, ignore_errors=True)
sqlite_files.SqliteFiles(str(_opened_files), only_while_open=True).install()


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Leave bytes out of test ids: an archive contains the time, and test processes must use the same ids."""
    return argname if isinstance(val, bytes) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave PostgreSQL to `make verify` where its SQL does not differ, and run the longest tests first.

    Otherwise one process would still be running at the end while the others are idle.
    """
    for item in items:
        if is_on_postgresql(item) and not sql_differs(item.path):
            item.add_marker(pytest.mark.verify)
    items.sort(key=lambda item: not item.get_closest_marker("soak"))


def pytest_collection_finish() -> None:
    """Exclude everything imported so far from garbage collection, which takes a tenth of the run."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


@pytest.fixture(autouse=True)
def _sockets_stay_on_this_machine() -> Iterator[None]:
    _guard.take()
    yield
    attempts = _guard.take()
    if attempts:
        pytest.fail("network access beyond this machine: " + "; ".join(attempts), pytrace=False)


@pytest.fixture(autouse=True)
def _no_personal_data_in_logs() -> Iterator[None]:
    WITNESS.install()
    WITNESS.take()
    hooks = sys.excepthook, threading.excepthook, sys.unraisablehook
    yield
    sys.excepthook, threading.excepthook, sys.unraisablehook = hooks
    WITNESS.install()
    leaks = WITNESS.take()
    if leaks:
        pytest.fail("forbidden data in a log: " + "; ".join([*dict.fromkeys(leaks)][:4]), pytrace=False)


@pytest.fixture(autouse=True, scope="session")
def _processes_watch_their_sqlite_files() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv(sqlite_files.REPORT, str(_opened_files))
        patched.setenv("PYTHONPATH", str(Path(sqlite_files.__file__).parent), prepend=os.pathsep)
        yield


@pytest.fixture(autouse=True)
def _only_sqlite_opens_sqlite_files(_processes_watch_their_sqlite_files: None) -> Iterator[None]:
    yield
    opened = sqlite_files.read_report(_opened_files)
    if opened:
        pytest.fail("a SQLite file in use was opened outside SQLite: " + "; ".join(opened[:4]), pytrace=False)


@pytest.fixture
def opened_sqlite_files() -> Path:
    """The file to which violations are reported, for the test of this check."""
    return _opened_files


@pytest.fixture
def loopback_guard() -> Guard:
    """The guard, for the test of the guard."""
    return _guard


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A private PostgreSQL, one for each test process."""
    from tests.parts.postgres import running_postgres

    with running_postgres() as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
def database_kind(request: pytest.FixtureRequest) -> str:
    """Runs the test twice, once for each kind of database."""
    return str(request.param)


@pytest.fixture
def database_url(database_kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of an empty database for the test, which runs on SQLite and on PostgreSQL."""
    if database_kind == "sqlite":
        yield f"sqlite:///{tmp_path / 'test.db'}"
        return
    server: Postgres = request.getfixturevalue("postgres")
    with server.database() as url:
        yield url


@pytest.fixture
def portal_url(database_kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """The URL of a database for the test with the portal's schema, on SQLite and on PostgreSQL."""
    from tests.schemas import PORTAL

    with _with_schema(PORTAL, database_kind, tmp_path / "portal.db", request) as url:
        yield url


@pytest.fixture
def tracker_url(database_kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    """The same with the schema of the recruitment tracking service."""
    from tests.schemas import TRACKER

    with _with_schema(TRACKER, database_kind, tmp_path / "tracker.db", request) as url:
        yield url


@pytest.fixture
def database(portal_url: str) -> Iterator[Database]:
    """The portal's database with its schema, empty; the test runs on SQLite and on PostgreSQL."""
    from portal.platform.database.db import Database
    from tests.schemas import PORTAL

    opened = Database(portal_url, migrations=PORTAL)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def radosgw() -> Iterator[RunningRadosgw]:
    """A private S3 that checks signatures, with an empty bucket."""
    from tests.parts.radosgw import running_radosgw

    with running_radosgw() as server:
        yield server


@pytest.fixture
def s3(radosgw: RunningRadosgw, monkeypatch: pytest.MonkeyPatch) -> RunningRadosgw:
    """The private S3, its credentials in the environment where boto3 finds them."""
    for name, value in radosgw.environment.items():
        monkeypatch.setenv(name, value)
    return radosgw


@pytest.fixture(scope="session")
def clamd() -> Iterator[RunningClamd]:
    """A private malware scanner that knows the EICAR test file."""
    from tests.parts.clamd import running_clamd

    with running_clamd() as server:
        yield server


@pytest.fixture(scope="session")
def redis() -> Iterator[RunningRedis]:
    """A private Redis, one for each test process."""
    from tests.parts.redis import running_redis

    with running_redis() as server:
        yield server


@pytest.fixture
def smtp() -> Iterator[SmtpServer]:
    """A mail server for the test that accepts everything by default."""
    from tests.parts.smtp import running_smtp

    with running_smtp() as server:
        yield server


@pytest.fixture(scope="session")
def html() -> Iterator[HtmlChecker]:
    """The W3C's HTML checker."""
    from tests.parts.html import running_html_checker

    with running_html_checker() as checker:
        yield checker


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningDemo]:
    """The whole demo, for all tests of the group "demo"."""
    from tests.parts.demo import running_demo

    with running_demo(tmp_path_factory.mktemp("demo") / "data") as running:
        yield running


@pytest.fixture(scope="session")
def chromium() -> Iterator[Browser]:
    """A real Chromium; make a context (and its pages) of the test's own with `new_context()`."""
    from tests.parts.chromium import running_chromium

    with running_chromium() as browser:
        yield browser


@contextmanager
def _with_schema(migrations: Path, kind: str, path: Path, request: pytest.FixtureRequest) -> Iterator[str]:
    from tests.schemas import postgres_template, sqlite_copy

    if kind == "sqlite":
        yield sqlite_copy(path, migrations)
        return
    server: Postgres = request.getfixturevalue("postgres")
    with server.copy(postgres_template(server, migrations)) as url:
        yield url
