"""After a crash, an object in a folder is either complete or missing."""

import io
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import BinaryIO, cast

import pytest

from portal.adapters.storage.local import LocalStore
from portal.platform.errors import AttachmentMissing


class BreaksOff(io.BytesIO):
    """A body that fails after its first chunk, like a failing disk."""

    def read(self, size: int | None = -1, /) -> bytes:
        if self.tell():
            raise RuntimeError("broke off")
        return super().read(size)


def test_an_interrupted_upload_leaves_no_object_and_no_temporary_file(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    body = BreaksOff(b"x" * 200_000)
    with pytest.raises(RuntimeError):
        store.put("acme/cv", cast("BinaryIO", body), size=200_000, media_type="text/plain", filename="cv.txt")
    assert list(store.keys("")) == []
    assert [path.name for path in (tmp_path / "acme").iterdir() if path.name.startswith(".incoming")] == []


def test_temporary_files_of_a_killed_process_are_deleted_a_day_later(tmp_path: Path) -> None:
    writing = """
import sys
from pathlib import Path
from portal.adapters.storage.local import LocalStore

class Slow:
    def read(self, _size):
        print(flush=True)
        sys.stdin.read()

LocalStore(Path(sys.argv[1])).put("acme/cv", Slow(), size=1, media_type="text/plain", filename="cv.txt")
"""
    command = [sys.executable, "-c", writing, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        process.kill()
    store, now = LocalStore(tmp_path), datetime.now(UTC)
    store.put("acme/other", io.BytesIO(b"x"), size=1, media_type="text/plain", filename="cv.txt")
    for before, there in ((now - timedelta(days=1), 2), (now + timedelta(days=1), 1)):
        store.delete_partial(before)
        assert len(list((tmp_path / "acme").iterdir())) == there
    assert list(store.keys("")) == ["acme/other"]


def test_an_object_is_one_file_without_personal_name(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    store.put("acme/cv", io.BytesIO(b"x"), size=1, media_type="text/plain", filename="José.txt")
    with store.open_pinned("acme/cv") as found:
        store.copy("acme/cv", "acme/copy", etag=found.etag, media_type="text/plain", filename="José.txt")
    assert sorted(path.name for path in (tmp_path / "acme").iterdir()) == ["copy", "cv"]


def test_companion_files_of_earlier_releases_are_deleted_with_the_object(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    store.put("acme/cv", io.BytesIO(b"x"), size=1, media_type="text/plain", filename="José.txt")
    (tmp_path / "acme" / "cv.json").write_text('{"media_type": "text/plain", "filename": "José.txt"}')
    with store.open("acme/cv") as file:
        assert file.read() == b"x"
    store.delete("acme/cv")
    assert list((tmp_path / "acme").iterdir()) == []


def test_other_users_of_the_machine_cannot_read_a_cv(tmp_path: Path) -> None:
    LocalStore(tmp_path / "store").put("acme/cv", io.BytesIO(b"x"), size=1, media_type="text/plain", filename="cv.txt")
    assert (tmp_path / "store" / "acme").stat().st_mode & 0o077 == 0
    assert (tmp_path / "store" / "acme" / "cv").stat().st_mode & 0o077 == 0


def test_deleting_leaves_no_personal_data(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    store.put("acme/cv", io.BytesIO(b"x"), size=1, media_type="text/plain", filename="José.txt")
    store.delete("acme/cv")
    assert list((tmp_path / "acme").iterdir()) == []


def test_special_files_are_not_objects_and_block_nothing(tmp_path: Path) -> None:
    store = LocalStore(tmp_path)
    (tmp_path / "acme" / "folder").mkdir(parents=True)
    os.mkfifo(tmp_path / "acme" / "pipe")
    for key in ("acme/folder", "acme/pipe"):
        with pytest.raises(AttachmentMissing), store.open(key):
            pass
