"""Checking and storing a file takes the same small amount of memory whatever the file's size."""

import tracemalloc
from collections.abc import Iterator
from pathlib import Path

import pytest

from portal.adapters.inspection.inspection import inspect
from portal.adapters.storage.store import Store
from tests.parts import files

SIZE = 48 * 1024 * 1024
ALLOWED = 3 * 1024 * 1024  # two chunks of 1 MiB that boto3 signs over plain HTTP, and a reserve


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("large") / "cv.pdf"
    path.write_bytes(files.pdf_of(SIZE))
    return path


@pytest.fixture
def peak() -> Iterator["Peak"]:
    yield Peak()
    tracemalloc.stop()


class Peak:
    """The peak of Python's memory since `begin`."""

    def begin(self) -> None:
        tracemalloc.start()
        tracemalloc.reset_peak()
        self._before = tracemalloc.get_traced_memory()[0]

    def grown(self) -> int:
        return tracemalloc.get_traced_memory()[1] - self._before


def test_inspecting_a_large_file_uses_little_memory(large: Path, peak: Peak) -> None:
    with large.open("rb") as file:
        peak.begin()
        assert inspect(file, max_bytes=SIZE).extension == "pdf"
        assert peak.grown() < ALLOWED


def test_inspecting_an_archive_uses_little_memory(tmp_path: Path, peak: Peak) -> None:
    path = tmp_path / "cv.docx"
    path.write_bytes(files.docx({f"word/media/{n}.bin": n.to_bytes(2, "big") * 4_000_000 for n in range(1, 3)}))
    with path.open("rb") as file:
        peak.begin()
        with pytest.raises(Exception, match="suspicious"):  # it expands a thousandfold
            inspect(file, max_bytes=SIZE)
        assert peak.grown() < ALLOWED


def test_storing_and_reading_a_large_file_uses_little_memory(store: Store, large: Path, peak: Peak) -> None:
    store.check()  # modules loaded at the first call do not count
    with large.open("rb") as file:
        peak.begin()
        store.put("acme/large", file, size=SIZE, media_type="application/pdf", filename="cv.pdf")
        assert peak.grown() < ALLOWED
    with store.open("acme/large") as found:
        while found.read(64 * 1024):
            pass
        assert peak.grown() < ALLOWED
    store.delete("acme/large")
