"""An upgrade and a rollback under load: no request fails, no application is lost and none is sent twice.

The old release is a wheel of a commit. The new one is a wheel of this tree with one more migration, which adds a column
to a table that all processes write to, and a table."""

import time
from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import pytest

from portal.platform.clock import SystemClock
from tests.journeys.two_releases import ROOT, Release, Visitors, company, site_of, source_of
from tests.parts.postgres import Postgres

pytestmark = pytest.mark.verify

OLD = "a4b2a03"
AWHILE = 2.0
"""Seconds."""
MORE = """
import sqlalchemy as sa
from alembic import op

revision = "9999"
down_revision = "{}"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("outbox", sa.Column("more", sa.Text))
    op.create_table("more", sa.Column("n", sa.Integer, primary_key=True))
    op.create_index("ix_outbox_more", "outbox", ["more"])
"""


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The folders of the old and the new release."""
    folder = tmp_path_factory.mktemp("releases")
    old = site_of(source_of(OLD, folder / "source"), folder / "old")
    new = site_of(ROOT, folder / "new")
    versions = new / "portal/platform/database/migrations/versions"
    newest = max(path.name for path in versions.glob("0*.py")).partition("_")[0]
    (versions / "9999_more.py").write_text(MORE.format(newest))
    return old, new


def until_ready(release: Release) -> None:
    ends = SystemClock().monotonic() + 60
    while release.status("/readyz") != 200 or release.status("/acme/jobs/job-1") != 200:
        assert SystemClock().monotonic() < ends, "it is not ready"
        time.sleep(0.1)


def test_two_releases_run_concurrently_during_upgrade_and_rollback(
    sites: tuple[Path, Path], postgres: Postgres, tmp_path: Path
):
    with (
        postgres.database() as url,
        company(tmp_path, url) as (service, told),
        ExitStack() as of_old,
        ExitStack() as of_new,
        ExitStack() as of_old_again,
    ):
        old, new = (Release(site, told, tmp_path) for site in sites)
        people = Visitors("127.0.0.1:8000", [old])
        assert old.command("db", "upgrade").returncode == 0
        of_old.enter_context(old.up())
        until_ready(old)
        with people.busy():
            time.sleep(AWHILE)
            done = new.command("db", "upgrade")
            assert done.returncode == 0
            assert done.stdout.startswith("Upgraded the schema from ")
            assert old.status("/readyz") == 200
            done = old.command("db", "upgrade")
            assert done.returncode == 0
            assert "newer" in done.stdout

            of_new.enter_context(new.up())
            until_ready(new)
            people.there = [old, new]
            time.sleep(AWHILE)
            people.there = [new]
            of_old.close()
            time.sleep(AWHILE)

            # The rollback: the schema is not downgraded.
            of_old_again.enter_context(old.up())
            until_ready(old)
            people.there = [new, old]
            time.sleep(AWHILE)
            people.there = [old]
            of_new.close()
            time.sleep(AWHILE)
        assert sorted(set(people.failed)) == []
        assert people.pages > 20
        assert len(people.references) > 10
        ends = SystemClock().monotonic() + 60
        while not service.counts().keys() >= set(people.references) and SystemClock().monotonic() < ends:
            time.sleep(0.1)
        time.sleep(1)  # in which a duplicate could arrive
        assert service.counts() == Counter(people.references)
