"""A backup that does not fit on the disk is refused before anything is written, and both sizes are told."""

import io
from dataclasses import replace
from pathlib import Path

import pytest

from portal.delivery.uploads.disk_space import Space
from portal.operations.backup import dumps
from portal.operations.backup.manifest import BackupError, Manifest
from portal.operations.backup.restore import restore
from tests.operations.backup.test_restores_repeat_erasures import Place, place, quiet, told

__all__ = ["place", "told"]


@pytest.mark.parametrize("place", ["sqlite"], indirect=True)
def test_a_disk_with_one_byte_too_few_and_one_with_enough(place: Place, tmp_path: Path):
    place.portal.parts.store.put("acme/a-file", io.BytesIO(b"x" * 10_000), size=10_000, media_type="a/b", filename="x")
    backup, new = place.take(), tmp_path / "new"
    (copy,) = Manifest.read(backup).databases
    needed = copy.size * 201 // 100 + 10_000 + 4_096
    parts = place.elsewhere(new)
    target = replace(place.target(parts), files=new / "attachments", space=lambda _: Space(10**12, needed - 1))
    with pytest.raises(BackupError, match=f"{needed - 1} bytes free, and {needed} bytes are needed") as refused:
        restore(place.home, backup, target, parts.clock, report=quiet)
    assert str(refused.value).startswith("nothing was restored: ")
    assert str(new / "attachments") in str(refused.value)
    assert dumps.is_empty(parts.database)
    assert not (new / "attachments").exists()
    assert not (new / "tenants").exists()
    enough = replace(target, space=lambda _: Space(10**12, needed))
    restore(place.home, backup, enough, parts.clock, report=quiet)
    assert list(parts.store.keys("acme/")) == ["acme/a-file"]
    parts.close()
