"""A killed verification leaves a copy of the database on the PostgreSQL server until the next verification."""

import pytest
import sqlalchemy as sa

from tests.operations.backup.machine import Backups

pytestmark = pytest.mark.parametrize("backups", ["postgresql"], indirect=True)


def test_the_next_verification_removes_an_unused_copy(backups: Backups):
    backups.take()
    address = sa.make_url(backups.site.environment["PORTAL_DATABASE_URL"])
    engine = sa.create_engine(address, isolation_level="AUTOCOMMIT")
    with engine.connect() as server:
        number = server.scalar(sa.text("SELECT oid FROM pg_database WHERE datname = current_database()"))
        left = {f"portal_verify_{number}_0a1b2c3d", "portal_verify_4711"}
        kept = {f"portal_verify_{number}_ffff", f"portal_verify_{number + 1}_0a1b2c3d", "portal_verify_by_hand"}
        try:
            for name in sorted(left | kept):
                server.execute(sa.text(f"CREATE DATABASE {name}"))
            user = sa.create_engine(address.set(database=f"portal_verify_{number}_ffff"))
            with user.connect():
                backups.site.portal("backup", "verify", str(backups.home))
            user.dispose()
            there = set(server.scalars(sa.text("SELECT datname FROM pg_database WHERE datname LIKE 'portal_verify%'")))
            assert there == kept
        finally:
            for name in sorted(left | kept):
                server.execute(sa.text(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)"))
    engine.dispose()
