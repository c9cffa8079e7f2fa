"""What it costs to look into a CV of 10 MB in a process of its own, against reading its bytes."""

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.figures import Figure
from portal.adapters.inspection.inspection import inspect
from tests.parts import files, pdfs

SIZE = 10 * 1024 * 1024
_ROUNDS = 15


def run() -> Iterator[Figure]:
    """Of a PDF of photographs, as a phone scans them; and of an ordinary CV, whatever the machine."""
    with tempfile.TemporaryDirectory() as folder:
        large, ordinary, words = (Path(folder) / name for name in ("large.pdf", "cv.pdf", "cv.txt"))
        words.write_bytes(b"a CV")
        large.write_bytes(pdfs.of_photographs(SIZE))
        ordinary.write_bytes(files.real("cv.pdf"))
        looked, read, small, bare = _medians(
            lambda: _look(large), lambda: _read(large), lambda: _look(ordinary), lambda: _look(words)
        )
    told = f"{1_000 * looked:.1f} ms; read in {1_000 * read:.1f} ms; a text of 4 bytes {1_000 * bare:.1f} ms"
    yield Figure("inspection of a 10 MB PDF, s", looked, 1.0, "at most", told)
    yield Figure("inspection of a 10 MB PDF / reading its bytes", looked / read, 10.0, "at most", told)
    yield Figure("inspection of an ordinary CV, ms", 1_000 * small, 50.0, "at most", f"{1_000 * small:.1f} ms")


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
