"""A backup lists exactly the secret keys that a restore needs, and the files that it could not read."""

from pathlib import Path

import pytest

from portal.platform.crypto.sealing import Seal
from tests.operations.backup.machine import Backups

OLD, NEW = "an-old-secret-for-tests-32-chars", "a-new-secret-for-tests-32-chars!"

pytestmark = pytest.mark.parametrize("backups", ["sqlite"], indirect=True)


def _needs(backups: Backups) -> str:
    lines = backups.site.portal("backup", str(backups.home)).splitlines()
    return next(line for line in lines if line.startswith("needs"))


def test_only_required_keys_are_listed(backups: Backups):
    site = backups.site
    site.environment["PORTAL_SECRET_KEY"] = OLD
    site.start("serve")
    site.serving()
    site.portal("sync")
    site.acknowledge(site.open_form())
    site.environment |= {"PORTAL_SECRET_KEY": NEW, "PORTAL_SECRET_KEY_FALLBACKS": OLD}
    (new,), (old,) = Seal(NEW).fingerprints, Seal(OLD).fingerprints
    assert (new in (said := _needs(backups)), old in said) == (True, True)
    site.portal("db", "rekey")
    site.portal("sync", "--full")
    assert (new in (said := _later(backups)), old in said) == (True, False)
    backups.lose_the_machine()
    del site.environment["PORTAL_SECRET_KEY_FALLBACKS"]
    assert "Next: portal check" in backups.restore()


def _later(backups: Backups) -> str:
    """Backups are named after their second, so wait for the next one."""
    before = {path.name for path in backups.home.iterdir()}
    backups.site.until(lambda: backups.run("backup", str(backups.home)).returncode == 0, "a second has passed")
    assert {path.name for path in backups.home.iterdir()} - before
    made = backups.home / max(path.name for path in backups.home.glob("2*"))
    return (made / "manifest.json").read_text()


def test_a_key_file_that_is_missing_fails_the_run(backups: Backups):
    (backups.site.folder / "key").rename(backups.site.folder / "elsewhere")
    done = backups.run("backup", str(backups.home))
    assert done.returncode == 1
    assert "could not be read and is not in this backup" in done.stderr
    assert [path for path in backups.home.glob("2*") if not path.name.endswith(".part")], (
        "everything else is in the backup"
    )


def test_an_unusable_folder_is_named(backups: Backups, tmp_path: Path):
    site = backups.site
    site.start("serve")
    site.serving()
    site.portal("sync")
    site.acknowledge(site.open_form())
    backups.home.mkdir()
    (backups.home / "files").write_text("no folder")
    done = backups.run("backup", str(backups.home))
    assert done.returncode == 1
    assert f"the folder of the backups {backups.home / 'files'} cannot be used" in done.stderr
    assert "attachment" not in done.stderr
