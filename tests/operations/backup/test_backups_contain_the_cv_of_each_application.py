"""Every application in a backup has its CV, whatever changes during the backup."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from portal.adapters.storage.opening import WatchedStore
from portal.adapters.storage.store import Pinned
from portal.cli.opened_services import operator_actions
from portal.operations.actions.audit import ActionChannel, Actor
from portal.operations.backup.manifest import Manifest
from portal.operations.backup.take import BackupSource, take
from portal.platform.errors import AttachmentMissing
from tests.delivery.scene import Scene, scene
from tests.operations.backup.machine import Backups


@dataclass
class LateStore:
    """A storage that lists nothing, so that files are copied after the database; the first one is deleted by then."""

    store: WatchedStore
    made: Scene
    reference: str
    asked: list[str] = field(default_factory=list)

    def keys(self, _prefix: str) -> Iterator[str]:
        return iter(())

    def open_pinned(self, key: str) -> AbstractContextManager[Pinned]:
        self.asked.append(key)
        if len(self.asked) == 1:
            operator_actions(self.made.parts).discard(Actor("root", ActionChannel.COMMAND), self.reference)
            raise AttachmentMissing("the attachment is not in the store")
        return self.store.open_pinned(key)


def source_of(made: Scene, store: object) -> BackupSource:
    return BackupSource(
        portal=made.parts.database,
        tracker=None,
        store=store,  # type: ignore[arg-type]  only the methods that a backup uses
        erasures=made.parts.erasures,
        tenants=made.folder / "tenants",
        home=made.folder,
        seal=made.parts.seal,
    )


def no_progress(_what: str, _done: int, _total: int) -> None:
    pass


def test_the_database_is_copied_again_if_a_file_was_deleted_meanwhile(tmp_path: Path):
    with scene(tmp_path / "site", f"sqlite:///{tmp_path / 'portal.db'}") as made:
        erased, kept = made.apply("ada"), made.apply("grace")
        store = LateStore(made.parts.store, made, erased)
        folder = take(source_of(made, store), tmp_path / "backups", made.clock, report=no_progress)
        manifest = Manifest.read(folder)
        assert (manifest.files, manifest.missing) == (1, 0)
        assert len(store.asked) >= 2
        assert made.overview(kept)


@pytest.mark.parametrize("backups", ["sqlite"], indirect=True)
def test_a_file_missing_before_the_backup_is_reported(backups: Backups):
    site = backups.site
    site.start("serve")
    site.serving()
    site.portal("sync")
    site.acknowledge(site.open_form())
    (stored,) = (site.folder / "attachments" / "acme").iterdir()
    stored.unlink()
    assert "the files of 1 submissions were gone before" in site.portal("backup", str(backups.home))
    assert backups.run("backup", "verify", str(backups.home)).returncode == 0


@pytest.mark.parametrize("backups", ["sqlite"], indirect=True)
def test_backups_during_applications_contain_every_cv(backups: Backups):
    site = backups.site
    site.start("serve", "worker")
    site.serving()
    site.portal("sync")
    for number in range(3):
        for _ in range(3):
            site.acknowledge(site.open_form())
        home = backups.home.with_name(f"backups-{number}")
        site.portal("backup", str(home))
        site.portal("backup", "verify", str(home))
    site.settled()
