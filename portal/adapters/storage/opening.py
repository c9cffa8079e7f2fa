"""Opens the storage that PORTAL_ATTACHMENTS names, and logs when it becomes unavailable and available again.

A storage that hangs blocks every caller until its timeouts expire. So once a call of this process has timed out, or its
health check has waited for three seconds, other calls fail immediately until the storage responds again.
"""

import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from datetime import datetime
from pathlib import Path
from typing import IO, BinaryIO

from portal.adapters.storage.local import LocalStore
from portal.adapters.storage.store import FormPost, Pinned, ReleaseSlot, Store
from portal.platform.clock import Clock, SystemClock, T, in_time
from portal.platform.errors import SettingsError, StoreError, StoreMisconfigured, StoreUnavailable
from portal.platform.logs.outage_log import Outage

SLOW = 3.0
"""Seconds without a response after which a storage counts as hanging; the health check waits as long."""
_SOON = 1.0
"""Seconds that a caller waits for a new check of a hanging storage, so that no call fails after its recovery."""
_FIRST, _MOST = 256, 65_536
"""Bytes per read, initially and at most: initially few, so that a slow transfer soon notices that its time is over."""
_IN_MEMORY = 1_000_000
_REAL = SystemClock()
"""The default clock: waiting for a storage takes real time, even if the rest of the process uses another clock."""


def within(seconds: float, job: Callable[[], T]) -> T:
    """Return what a job with a storage returns; raise StoreUnavailable if all of it takes longer than that."""
    try:
        return in_time(job, seconds)
    except TimeoutError:
        raise StoreUnavailable(
            f"file storage did not send or take a small object within {seconds:g} seconds: check it, and the network"
        ) from None


def read_whole(store: Store, key: str, *, seconds: float, free: threading.Semaphore) -> IO[bytes]:
    """Return all bytes of an object, as a file at its start. free: slots for concurrent reads, timed out ones included.

    Raises StoreUnavailable if it takes longer than that, or if too many are being read, and as Store.open.
    """
    if not free.acquire(blocking=False):
        raise StoreUnavailable("file storage is slow: too many files are being read already")
    ends, found = _REAL.monotonic() + seconds, tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115  the caller closes it

    def read() -> IO[bytes]:
        size, piece = _FIRST, b"-"
        try:
            with store.open(key) as body:
                while piece:
                    piece = body.read(size)
                    if _REAL.monotonic() > ends:
                        raise StoreUnavailable("file storage is too slow")
                    found.write(piece)
                    size = min(2 * size, _MOST)
        except BaseException:
            found.close()
            raise
        finally:
            free.release()
        found.seek(0)
        return found

    return within(seconds, read)


def folder_of(address: str) -> Path | None:
    """Return the folder of a storage in a folder; None for any other."""
    kind, _, where = address.partition(":")
    return Path(where) if kind == "file" and where else None


def bucket_of(address: str) -> str | None:
    """Return the name of a storage's bucket; None for any other storage."""
    kind, _, where = address.partition(":")
    return where.removeprefix("//") or None if kind == "s3" and where.startswith("//") else None


def open_store(
    address: str, *, s3_endpoint: str | None, s3_public: str | None = None, waiting: ReleaseSlot = nullcontext
) -> Store:
    """Return the store for an address; nothing is connected to yet.

    address: `file:FOLDER` or `s3://BUCKET`. s3_endpoint: origin of an S3-compatible server. s3_public: the origin at
    which browsers reach that server, if it is another one, or "none". waiting: entered while waiting for the server.
    Raises SettingsError, or StoreMisconfigured if boto3's own configuration is wrong.
    """
    folder = folder_of(address)
    if folder:
        return LocalStore(folder)
    bucket = bucket_of(address)
    if bucket:
        from portal.adapters.storage.s3 import S3Store

        return S3Store(bucket, endpoint=s3_endpoint, public=s3_public, waiting=waiting)
    raise SettingsError("PORTAL_ATTACHMENTS: expected file:FOLDER or s3://BUCKET")


class WatchedStore:
    """A store with outage detection around another one. Thread-safe."""

    def __init__(self, store: Store, outage: Outage, clock: Clock = _REAL) -> None:
        self._store, self._outage, self._clock = store, outage, clock
        self._lock = threading.Lock()
        self._hangs = False
        self._asked_since: float | None = None
        """When the reach() that is in progress began, as monotonic time; None if there is none."""

    def put(self, key: str, body: BinaryIO, *, size: int, media_type: str, filename: str) -> str:
        """Store an object, as Store.put; all methods below are those of Store, too."""
        with self._watched():
            return self._store.put(key, body, size=size, media_type=media_type, filename=filename)

    @contextmanager
    def open(self, key: str) -> Iterator[BinaryIO]:
        """Open an object; watched until the block ends."""
        with self._watched(), self._store.open(key) as body:
            yield body

    @contextmanager
    def open_pinned(self, key: str) -> Iterator[Pinned]:
        """Open an object with its ETag; watched until the block ends."""
        with self._watched(), self._store.open_pinned(key) as pinned:
            yield pinned

    def copy(self, source: str, key: str, *, etag: str, media_type: str, filename: str) -> str:
        """Copy an object; watched."""
        with self._watched():
            return self._store.copy(source, key, etag=etag, media_type=media_type, filename=filename)

    def form_post(self, key: str, *, least: int, most: int, seconds: int) -> FormPost | None:
        """Return a form for uploading, without a request; fails while the storage hangs, as the upload would."""
        with self._outage.watched(StoreUnavailable):
            self._require_answering()
        return self._store.form_post(key, least=least, most=most, seconds=seconds)

    @property
    def origin(self) -> str | None:
        """Return the origin, without a request."""
        return self._store.origin

    def delete(self, key: str) -> None:
        """Delete an object; watched."""
        with self._watched():
            self._store.delete(key)

    def delete_partial(self, before: datetime) -> None:
        """Delete incomplete objects; watched."""
        with self._watched():
            self._store.delete_partial(before)

    def keys(self, prefix: str) -> Iterator[str]:
        """Yield keys; watched until the last one."""
        with self._watched():
            yield from self._store.keys(prefix)

    def sizes(self) -> Iterator[tuple[str, int]]:
        """Yield keys with sizes; watched until the last one."""
        with self._watched():
            yield from self._store.sizes()

    def reach(self) -> None:
        """Test the storage; watched. Sends its request even while the storage hangs, and so notices its recovery."""
        began = self._clock.monotonic()
        with self._lock:
            self._asked_since = self._asked_since or began
        try:
            with self._outage.watched(StoreUnavailable, StoreMisconfigured), self._timed(began):
                self._store.reach()
        finally:
            with self._lock:
                self._asked_since = None

    def check(self) -> None:
        """Test a round trip; watched. Sends its requests even while the storage hangs."""
        began = self._clock.monotonic()
        with self._outage.watched(StoreUnavailable, StoreMisconfigured), self._timed(began):
            self._store.check()

    @contextmanager
    def _watched(self) -> Iterator[None]:
        began = self._clock.monotonic()
        with self._outage.watched(StoreUnavailable, StoreMisconfigured):
            self._require_answering()
            with self._timed(began):
                yield

    @contextmanager
    def _timed(self, began: float) -> Iterator[None]:
        """Record whether the storage hangs: no if the block succeeds, or fails within SLOW seconds."""
        try:
            yield
        except StoreUnavailable:
            self._hangs = self._clock.monotonic() - began >= SLOW
            raise
        self._hangs = False

    def _require_answering(self) -> None:
        """Raise StoreUnavailable if the storage is known to hang; meanwhile one thread checks whether it still does."""
        with self._lock:
            asked_since = self._asked_since
            is_slow = asked_since is not None and self._clock.monotonic() - asked_since >= SLOW
            if not (self._hangs or is_slow):
                return
            asks = asked_since is None
            if asks:
                self._asked_since = self._clock.monotonic()
        if asks:
            check = threading.Thread(target=self._ask, name="store", daemon=True)
            check.start()
            check.join(_SOON)
            if not (check.is_alive() or self._hangs):
                return
        raise StoreUnavailable("file storage is not responding, and is retried until it does")

    def _ask(self) -> None:
        with suppress(StoreError):  # reach() logs it
            self.reach()
