"""A store of which the log is told when it is away and when it is back, whoever asked it for what."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import BinaryIO

from portal.absence import Absence
from portal.attachments.store import FormPost, Pinned, Store
from portal.errors import StoreMisconfigured, StoreUnavailable


class WatchedStore:
    """The same store."""

    def __init__(self, store: Store, absence: Absence) -> None:
        self._store, self._absence = store, absence

    def put(self, key: str, body: BinaryIO, *, size: int, media_type: str, filename: str) -> str:
        """As Store has it, and so is all below."""
        with self._watched():
            return self._store.put(key, body, size=size, media_type=media_type, filename=filename)

    @contextmanager
    def open(self, key: str) -> Iterator[BinaryIO]:
        """Watched for as long as its bytes are read."""
        with self._watched(), self._store.open(key) as body:
            yield body

    @contextmanager
    def open_pinned(self, key: str) -> Iterator[Pinned]:
        """Watched for as long as its bytes are read."""
        with self._watched(), self._store.open_pinned(key) as pinned:
            yield pinned

    def copy(self, source: str, key: str, *, etag: str, media_type: str, filename: str) -> str:
        """Watched."""
        with self._watched():
            return self._store.copy(source, key, etag=etag, media_type=media_type, filename=filename)

    def form_post(self, key: str, *, least: int, most: int, seconds: int) -> FormPost | None:
        """Asks nobody."""
        return self._store.form_post(key, least=least, most=most, seconds=seconds)

    @property
    def origin(self) -> str | None:
        """Asks nobody."""
        return self._store.origin

    def delete(self, key: str) -> None:
        """Watched."""
        with self._watched():
            self._store.delete(key)

    def keys(self, prefix: str) -> Iterator[str]:
        """Watched for as long as they come."""
        with self._watched():
            yield from self._store.keys(prefix)

    def reach(self) -> None:
        """Watched."""
        with self._watched():
            self._store.reach()

    def check(self) -> None:
        """Watched."""
        with self._watched():
            self._store.check()

    def _watched(self) -> AbstractContextManager[None]:
        return self._absence.watched(StoreUnavailable, StoreMisconfigured)
