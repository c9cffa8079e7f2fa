"""`portal storage check` deletes only objects that certainly belong to no record, and keeps delivered files."""

import io
import subprocess
from collections.abc import Iterable

import pytest

from portal.delivery.uploads import orphans
from portal.delivery.uploads.tables import asked, uploads
from tests.builders import SECRET, Portal
from tests.parts.command import portal as command
from tests.site.apply.applicant import Applicant
from tests.site.apply.direct import Sender, keys, rows


def found(portal: Portal, *, delete: bool = False) -> orphans.Orphans:
    return orphans.find(portal.parts.database, portal.parts.store, delete=delete)


def checked(portal: Portal, *words: str, **changed: str) -> subprocess.CompletedProcess[str]:
    """Run `portal storage check` as an operator types it."""
    settings = portal.parts.settings
    own = {
        "PORTAL_SECRET_KEY": SECRET,
        "PORTAL_DATABASE_URL": settings.database_url,
        "PORTAL_TENANTS": str(settings.tenants),
        "PORTAL_ATTACHMENTS": settings.attachments,
        "PORTAL_MAIL": settings.mail,
        **changed,
    }
    return command("storage", "check", *words, environment=own)


def stored(portal: Portal, files: int) -> None:
    """Store files for that many forms."""
    for _ in range(files):
        with portal.browser() as client:
            Sender(Applicant(client)).bring()


def lose(portal: Portal, gone: Iterable[str]) -> None:
    for key in gone:
        portal.parts.store.delete(key)


def test_a_consistent_storage_has_no_findings(acme: Portal, ada: Applicant):
    ada.receipt()
    assert found(acme) == orphans.Orphans(0, 0, (), 0, 1)


def test_the_file_of_a_purged_delivery_is_kept(acme: Portal, ada: Applicant):
    ada.receipt()
    acme.work.deliver_what_is_due()
    acme.parts.clock.pass_time(7 * 86_400 + 1)
    acme.work.run_housekeeping()
    assert rows(acme, uploads) == []
    assert found(acme, delete=True) == orphans.Orphans(0, 0, (), 1, 1)
    assert len(keys(acme, "acme/")) == 1


def test_an_unknown_object_in_quarantine_is_deleted_and_a_known_one_kept(acme: Portal, ada: Applicant):
    sender = Sender(ada)
    sender.ask()
    sender.send()
    key = "_incoming/nobody-asked-for-this"
    acme.parts.store.put(key, io.BytesIO(b"x"), size=1, media_type="text/plain", filename="cv")
    assert found(acme).unknown == 1
    assert found(acme, delete=True).unknown == 1
    assert found(acme).unknown == 0
    assert keys(acme, "_incoming/") == [row.key for row in rows(acme, asked)]
    assert sender.check().status_code == 200


def test_a_form_whose_file_is_missing_requests_it_again(acme: Portal, ada: Applicant):
    said = Sender(ada).bring()
    (mine,) = rows(acme, uploads)
    stored(acme, 1)
    lose(acme, [mine.key])
    assert (found(acme).without_file, found(acme, delete=True).without_file, found(acme).without_file) == (1, 1, 0)
    page = ada.send(cv=None, upload=said["upload"])
    assert "Choose it again" in page.summary["cv"]


def test_a_delivery_whose_file_is_missing_is_reported_and_unchanged(acme: Portal, ada: Applicant):
    reference = ada.receipt().rpartition("/")[2]
    (mine,) = rows(acme, uploads)
    stored(acme, 1)
    lose(acme, [mine.key])
    assert found(acme, delete=True).lost == (reference,)
    assert len(rows(acme, uploads)) == 2


def test_a_missing_folder_is_not_an_empty_one(acme: Portal):
    stored(acme, 2)
    elsewhere = acme.folder / "not-mounted"
    for words in ((), ("--delete",)):
        done = checked(acme, *words, PORTAL_ATTACHMENTS=f"file:{elsewhere}")
        assert (done.returncode, done.stdout) == (1, "")
        assert f"the folder {elsewhere} does not exist" in done.stderr
        assert "--delete" not in done.stderr
    assert not elsewhere.exists()
    assert len(rows(acme, uploads)) == 2


def test_an_unexpectedly_empty_folder_is_reported_as_an_unavailable_disk(acme: Portal):
    stored(acme, 2)
    elsewhere = acme.folder / "mount-point"
    elsewhere.mkdir()
    for words in ((), ("--delete",)):
        done = checked(acme, *words, PORTAL_ATTACHMENTS=f"file:{elsewhere}")
        assert done.returncode == 1
        assert "forms whose file is missing 2: left alone" in done.stdout
        assert "unmounted" in done.stderr
        assert "--delete" not in done.stdout + done.stderr
    assert len(rows(acme, uploads)) == 2


@pytest.mark.parametrize(
    ("files", "gone", "stay"),
    [(1, 1, True), (9, 8, False), (10, 2, False), (10, 3, True)],
)
def test_many_missing_files_are_reported_as_a_different_storage(acme: Portal, files: int, gone: int, stay: bool):
    stored(acme, files)
    unknown = "_incoming/of-somebody-else"
    acme.parts.store.put(unknown, io.BytesIO(b"x"), size=1, media_type="text/plain", filename="cv")
    lose(acme, [row.key for row in rows(acme, uploads)][:gone])
    assert found(acme, delete=True) == orphans.Orphans(1, gone, (), 0, files - gone + 1, elsewhere=stay)
    assert len(rows(acme, uploads)) == (files if stay else files - gone)
    assert keys(acme, "_incoming/") == ([unknown] if stay else [])


def test_a_missing_database_is_reported_and_not_created(acme: Portal):
    elsewhere = acme.folder / "typo.db"
    done = checked(acme, PORTAL_DATABASE_URL=f"sqlite:///{elsewhere}")
    assert done.returncode == 1
    assert f"the database {elsewhere} does not exist" in done.stderr
    assert not elsewhere.exists()
