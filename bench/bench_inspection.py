"""What it costs to look into a CV of 10 MB in a process of its own, against reading its bytes."""

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.figures import Measured, Shares
from bench.profiles import profile
from portal.adapters.inspection.inspection import inspect
from tests.parts import files, pdfs

SIZE = 10 * 1024 * 1024
_ROUNDS = 15


def run() -> Iterator[Measured]:
    """Of a PDF of photographs, as a phone scans them; and of an ordinary CV, whatever the machine."""
    with tempfile.TemporaryDirectory() as folder:
        large, ordinary, words = (Path(folder) / name for name in ("large.pdf", "cv.pdf", "cv.txt"))
        words.write_bytes(b"a CV")
        large.write_bytes(pdfs.of_photographs(SIZE))
        ordinary.write_bytes(files.real("cv.pdf"))
        looked, read, small, bare = _medians(
            lambda: _look(large), lambda: _read(large), lambda: _look(ordinary), lambda: _look(words)
        )
        told = f"{1_000 * looked:.1f} ms / {1_000 * read:.1f} ms; a text of 4 bytes {1_000 * bare:.1f} ms"

        def again(path: Path) -> Shares:
            return profile(lambda: _look(path), of="sandbox", times=4 * _ROUNDS)

        yield Measured(
            "inspection of a PDF of 10 MB / reading its bytes", looked / read, told, (), lambda: again(large)
        )
        yield Measured("inspection of an ordinary CV, ms", 1_000 * small, "a median", (), lambda: again(ordinary))


def _look(path: Path) -> None:
    with path.open("rb") as file:
        inspect(file, max_bytes=2 * SIZE)


def _read(path: Path) -> None:
    with path.open("rb", buffering=0) as file:
        while file.read(64 * 1024):
            pass


def _medians(*jobs: Callable[[], None]) -> list[float]:
    times: list[list[float]] = [[] for _ in jobs]
    for _ in range(_ROUNDS + 2):
        for taken, job in zip(times, jobs, strict=True):
            began = time.perf_counter()
            job()
            taken.append(time.perf_counter() - began)
    return [statistics.median(taken[2:]) for taken in times]
