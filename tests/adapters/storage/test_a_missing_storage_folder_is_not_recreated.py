"""If the folder was renamed or its disk unmounted, the store is unavailable, and does not create the folder again."""

import io
from pathlib import Path

import pytest

from portal.adapters.storage.local import LocalStore
from portal.platform.errors import StoreUnavailable


def put(store: LocalStore, key: str) -> None:
    store.put(key, io.BytesIO(b"x"), size=1, media_type="text/plain", filename="cv.txt")


def refuses(store: LocalStore, *, says: str) -> None:
    for asked in (lambda: put(store, "acme/another"), store.reach, store.check):
        with pytest.raises(StoreUnavailable, match=says):
            asked()


@pytest.mark.parametrize("made_by", ["somebody before", "the first object"])
def test_a_renamed_folder_makes_the_storage_unavailable(tmp_path: Path, made_by: str):
    folder = tmp_path / "attachments"
    if made_by == "somebody before":
        folder.mkdir()
    store = LocalStore(folder)
    store.reach()
    if made_by == "the first object":
        put(store, "acme/cv")
    aside = folder.rename(tmp_path / "aside")
    refuses(store, says="is gone: bring it back")
    assert not folder.exists()
    aside.rename(folder)
    put(store, "acme/another")
    store.reach()


def test_an_empty_mount_point_makes_the_storage_unavailable(tmp_path: Path):
    folder = tmp_path / "attachments"
    store = LocalStore(folder)
    put(store, "acme/cv")
    aside = folder.rename(tmp_path / "aside")
    folder.mkdir()
    refuses(store, says="is another, empty one")
    assert list(folder.iterdir()) == []
    folder.rmdir()
    aside.rename(folder)
    put(store, "acme/another")


def test_a_remounted_or_copied_folder_is_used(tmp_path: Path):
    """A remounted disk, or a copy, has another device number."""
    folder = tmp_path / "attachments"
    store = LocalStore(folder)
    put(store, "acme/cv")
    folder.rename(tmp_path / "aside")
    (folder / "acme").mkdir(parents=True)
    put(store, "acme/another")
    store.reach()
