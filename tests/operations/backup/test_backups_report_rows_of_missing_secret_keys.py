"""Backup and restore report rows that need a secret key which is not set, and which key it may be."""

from pathlib import Path

from portal.operations.backup.manifest import Manifest
from portal.operations.backup.take import BackupSource, take
from portal.platform.crypto.sealing import Seal
from tests.site.account.candidate import ADA, open_acme
from tests.site.apply.applicant import Applicant

OLD, NEW = "an-old-secret-for-tests-32-chars", "a-new-secret-for-tests-32-chars!"


def test_rows_of_a_missing_key_are_reported(tmp_path: Path):
    portal = open_acme(tmp_path / "site", secret_key=OLD)
    parts, tenants = portal.parts, portal.folder / "tenants"
    with portal.browser() as client:
        Applicant(client, "/acme/jobs/job-1/apply").receipt(email=ADA)
    portal.work.run_housekeeping()

    def backup_with(*keys: str) -> str:
        parts.clock.pass_time(60)
        seal = Seal(keys[0], keys[1:])
        source = BackupSource(parts.database, None, parts.store, parts.erasures, tenants, tmp_path, seal)
        return Manifest.read(take(source, tmp_path / "backups", parts.clock, report=lambda *_: None)).in_words()

    (line,) = (line for line in backup_with(NEW).splitlines() if "of a key that is not set" in line)
    assert line.startswith("WARNING    ")
    assert "deliveries 1" in line
    assert f"used here before and not set: {Seal(OLD).fingerprints[0]}; a restore needs it too" in line
    assert "not set" not in backup_with(NEW, OLD)
    parts.close()
