"""No process opens a file of a SQLite database that it uses through SQLite: closing it would drop SQLite's locks.

Enforced for every test and every process that a test starts (tests/conftest.py); here it is shown that it is.
"""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.parts import command
from tests.parts.watch import sqlite_files

ROOT = Path(__file__).parents[2]
WAYS: dict[str, Callable[[Path], object]] = {
    "open": lambda path: path.open("rb").close(),
    "os.open": lambda path: os.close(os.open(path, os.O_RDWR)),
    "read_bytes": lambda path: path.read_bytes(),
    "copyfile": lambda path: shutil.copyfile(path, path.with_suffix(".copy")),
    "by a relative name": lambda path: Path(os.path.relpath(path)).read_bytes(),
    "as bytes": lambda path: os.close(os.open(os.fsencode(path), os.O_RDONLY)),
}
OFFENDER = """
import pathlib, sqlite3, sys
path = pathlib.Path(sys.argv[1])
connection = sqlite3.connect(path)
connection.execute("CREATE TABLE kept (value INTEGER)")
connection.close()
path.read_bytes()
"""


@pytest.fixture
def database_in_use(tmp_path: Path):
    path = tmp_path / "used.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE kept (value INTEGER)")
    yield path
    connection.close()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("companion", ["", "-wal", "-shm"])
def test_each_way_to_open_a_file_in_use_is_reported(
    database_in_use: Path, opened_sqlite_files: Path, way: str, companion: str
):
    WAYS[way](database_in_use.with_name(database_in_use.name + companion))
    (found,) = sqlite_files.read_report(opened_sqlite_files)
    assert found.startswith(f"{database_in_use}{companion} at {__file__}:")


def test_opening_a_link_to_a_file_in_use_is_reported(database_in_use: Path, opened_sqlite_files: Path):
    link = database_in_use.with_name("linked") / database_in_use.name
    link.parent.symlink_to(database_in_use.parent)
    link.read_bytes()
    assert len(sqlite_files.read_report(opened_sqlite_files)) == 1


def test_closed_databases_and_other_files_may_be_read(database_in_use: Path, tmp_path: Path, opened_sqlite_files: Path):
    closed = tmp_path / "closed.db"
    sqlite3.connect(closed).close()
    closed.write_bytes(b"")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / database_in_use.name).write_bytes(b"of the same name")
    assert sqlite_files.read_report(opened_sqlite_files) == []


def test_a_child_process_may_not_open_the_file_either(tmp_path: Path, opened_sqlite_files: Path):
    path = tmp_path / "used.db"
    subprocess.run([sys.executable, "-c", OFFENDER, str(path)], check=True, timeout=60)
    (found,) = sqlite_files.read_report(opened_sqlite_files)
    assert found.startswith(f"{path} at <string>:7 in process")


def test_a_forked_command_may_not_open_the_file_either(tmp_path: Path, opened_sqlite_files: Path):
    path = tmp_path / "used.db"
    process = command._forked.Process(target=_offend, args=(path,))
    process.start()
    process.join(60)
    assert process.exitcode == 0
    (found,) = sqlite_files.read_report(opened_sqlite_files)
    assert found.startswith(f"{path} at {__file__}:")


def _offend(path: Path) -> None:
    sqlite3.connect(path).close()
    path.read_bytes()


def test_a_violation_fails_the_test_in_which_it_happens(tmp_path: Path, opened_sqlite_files: Path):
    (tmp_path / "test_offender.py").write_text(f"""
import pathlib, sqlite3

def test_reads_it():
    path = pathlib.Path({str(tmp_path / "used.db")!r})
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE kept (value INTEGER)")
    path.read_bytes()
    connection.close()
""")
    options = ["-p", "tests.conftest", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(tmp_path)]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *options, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "1 passed, 1 error" in done.stdout
    assert f"a SQLite file in use was opened outside SQLite: {tmp_path}/used.db at " in done.stdout
    sqlite_files.read_report(opened_sqlite_files)  # this test also started that process
