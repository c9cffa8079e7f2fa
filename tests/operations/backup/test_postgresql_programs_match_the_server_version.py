"""pg_dump and pg_restore have the server's version or a compatible newer one; otherwise the package is named."""

import pytest

from portal.operations.backup.dumps import fitting
from portal.operations.backup.manifest import BackupError

INSTALLED = {"/14/bin": 14, "/16/bin": 16, "/usr/bin": 18}


@pytest.mark.parametrize(
    ("name", "server", "path"),
    [
        ("pg_dump", 14, "/14/bin"),
        ("pg_dump", 15, "/16/bin"),
        ("pg_dump", 17, "/usr/bin"),
        ("pg_restore", 16, "/16/bin"),
        ("pg_restore", 15, "/16/bin"),
        ("pg_restore", 17, "/usr/bin"),
    ],
)
def test_the_next_newer_version_is_used(name: str, server: int, path: str):
    assert fitting(name, INSTALLED, server) == path


@pytest.mark.parametrize(
    ("name", "found", "server", "says"),
    [
        ("pg_dump", {}, 15, "pg_dump is not installed, and the server is PostgreSQL 15: install postgresql-client-15"),
        ("pg_dump", {"/a": 15, "/b": 14}, 16, "pg_dump is there in version 14, 15, and the server is PostgreSQL 16"),
        ("pg_restore", {"/a": 17}, 16, "pg_restore is there in version 17, and the server is PostgreSQL 16"),
    ],
)
def test_a_missing_version_is_named(name: str, found: dict[str, int], server: int, says: str):
    with pytest.raises(BackupError, match=says):
        fitting(name, found, server)
