"""A request that waits for an inspection releases its concurrency slot to other requests."""

import io
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from portal.adapters.inspection import inspection
from portal.adapters.inspection.inspection import inspect
from portal.gateway.concurrency import ConcurrencyLimit
from tests.parts.files import real

MOST = 10_000_000


class Seen(ConcurrencyLimit):
    """A single slot, and whether it was free each time that it was released."""

    def __init__(self) -> None:
        super().__init__(1, waiting=0)
        self.times = 0

    @contextmanager
    def looked_at(self) -> Iterator[None]:
        with self.slot_released():
            self.times += 1
            with self.slot_held():  # as another request would
                pass
            yield


@pytest.mark.parametrize("read", [False, True], ids=["looked into", "and read"])
def test_the_slot_is_free_while_a_file_is_inspected(read: bool):
    room = Seen()
    with room.slot_held():
        found = inspect(io.BytesIO(real("cv.pdf")), max_bytes=MOST, read=read, waiting=room.looked_at)
    assert found.extension == "pdf"
    assert room.times == 1  # one slot for both


def test_a_file_rejected_before_inspection_releases_no_slot():
    room = Seen()
    with room.slot_held(), pytest.raises(inspection.UploadRefused):
        inspect(io.BytesIO(b"x" * 11), max_bytes=10, waiting=room.looked_at)
    assert room.times == 0
