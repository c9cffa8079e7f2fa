"""lost+found folders are ignored if files or backups are on separate disks."""

from pathlib import Path

import pytest

from tests.operations.backup.machine import Backups

pytestmark = pytest.mark.parametrize("backups", ["sqlite"], indirect=True)


def _mounted(folder: Path) -> None:
    (folder / "lost+found").mkdir(parents=True)
    (folder / "lost+found" / "#4711").write_text("what a repair found")


def _mounted_of_root(folder: Path) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "lost+found").symlink_to("lost+found")  # which not even root in these tests can list


def test_lost_and_found_is_ignored(backups: Backups):
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
