"""Errors that would occur at the end of a restore are reported before anything is copied."""

import hashlib
import json

import pytest

from tests.operations.backup.machine import Backups


@pytest.mark.parametrize("backups", ["sqlite"], indirect=True)
def test_an_unwritable_target_stops_a_restore(backups: Backups):
    backups.take()
    backups.lose_the_machine()
    folder, told = backups.site.folder, dict(backups.site.environment)
    (folder / "a-file").write_text("no folder")
    for name, value in (
        ("PORTAL_TENANTS", "/proc/portal/tenants"),  # a folder where not even root can write
        ("PORTAL_TENANTS", f"{folder / 'a-file' / 'tenants'}"),
        ("PORTAL_ATTACHMENTS", "file:/proc/portal/attachments"),
        ("PORTAL_DATABASE_URL", "sqlite:////proc/portal.db"),
    ):
        place = value.partition(":")[2].removeprefix("///") or value
        backups.site.environment = {**told, "PORTAL_ERASURES": f"file:{backups.home}", name: value}
        done = backups.run("restore", str(backups.home))
        assert (done.returncode, place.rpartition("/")[0] in done.stderr) == (1, True), done.stderr
        assert "cannot be" in done.stderr
        assert not (folder / "key").exists(), "something was restored"
        assert not (folder / "tenants").exists()


@pytest.mark.parametrize("backups", ["postgresql"], indirect=True)
def test_a_dump_too_new_for_pg_restore_stops_a_restore(backups: Backups):
    backups.site.portal("tracker", "tenant", "add", "acme", "Acme")
    made = backups.take()
    manifest = json.loads((made / "manifest.json").read_text())
    (copy,) = (one for one in manifest["databases"] if one["name"] == "portal")
    later = bytearray((made / copy["file"]).read_bytes())
    assert later.startswith(b"PGDMP")
    later[6] += 50  # the minor version of the format, as written by a later release
    (made / copy["file"]).write_bytes(later)
    copy["sha256"] = hashlib.sha256(later).hexdigest()
    (made / "manifest.json").write_text(json.dumps(manifest))
    backups.lose_the_machine()
    done = backups.run("restore", str(backups.home))
    assert (done.returncode, "unsupported version" in done.stderr) == (1, True), done.stderr
    assert not (backups.site.folder / "key").exists(), "something was restored"
