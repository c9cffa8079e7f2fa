"""`portal check` fails for a database on a full disk, as /readyz does."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from portal.cli import check_installation
from portal.delivery.uploads.disk_space import Disks
from tests import builders


@pytest.mark.parametrize(("free", "is_ok"), [(0, False), (10**12, True)])
def test_the_check_fails_for_a_sqlite_database_on_a_full_disk(tmp_path: Path, free: int, is_ok: bool):
    parts = builders.portal(tmp_path / "portal").parts
    usage = shutil.disk_usage(tmp_path)._replace(free=free)
    parts = replace(parts, disks=Disks(parts.disks.places, lambda _: usage))
    found = check_installation.schema(parts)
    parts.close()
    assert found.ok == is_ok
    assert ("the database disk is full" in found.says) != is_ok
