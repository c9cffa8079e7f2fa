"""Where files or backups are on disks of their own, their lost+found is in nobody's way."""

from pathlib import Path

import pytest

from tests.operations.backup.machine import Backups

pytestmark = pytest.mark.parametrize("backups", ["sqlite"], indirect=True)


def _mounted(folder: Path) -> None:
    (folder / "lost+found").mkdir(parents=True)
    (folder / "lost+found" / "#4711").write_text("what a repair found")


def _mounted_of_root(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "lost+found").symlink_to("lost+found")  # which not even the root of these tests can list


def test_it_is_in_nobodys_way(backups: Backups):
    site, attachments = backups.site, backups.site.folder / "attachments"
    _mounted(backups.home)
    _mounted(backups.home / "files")
    _mounted_of_root(attachments)
    site.start("serve")
    site.serving()
    site.portal("sync")
    site.acknowledge(site.open_form())
    backups.take("--keep", "1", "--verify")
    assert "deliveries without a file   0" in site.portal("storage", "check")
    backups.lose_the_machine()
    _mounted(attachments)
    assert "Next: portal check" in backups.restore()
    assert len(list((attachments / "acme").iterdir())) == 1
