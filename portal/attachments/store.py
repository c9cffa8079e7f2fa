"""The protocol that every attachment store keeps."""

import io
import secrets
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import BinaryIO, Protocol

from portal.errors import StoreMisconfigured

Waiting = Callable[[], AbstractContextManager[object]]
"""What a store enters while it waits for a server, so that others can have the room of who waits."""


class Store(Protocol):
    """Objects by key. Every method raises StoreUnavailable or StoreMisconfigured when the store cannot serve.

    A key is `{slug}/{random}`, at most 100 characters (keys.check_key); anything else raises ValueError. No error
    holds a key.
    """

    def put(self, key: str, body: BinaryIO, *, size: int, media_type: str, filename: str) -> str:
        """Store `size` bytes read from `body` under a new key; whole or not at all. Returns the object's ETag.

        body can seek and stands at its first byte; ValueError if it does not hold exactly `size` bytes.
        filename is already cleaned; it goes into the object's Content-Disposition.
        """
        ...

    def open(self, key: str) -> AbstractContextManager[BinaryIO]:
        """The object's bytes, streamed; AttachmentMissing if there is none."""
        ...

    def delete(self, key: str) -> None:
        """Remove the object; removing what is not there is fine."""
        ...

    def keys(self, prefix: str) -> Iterator[str]:
        """Keys that start so, streamed, in no promised order."""
        ...

    def check(self) -> None:
        """Write, read back and delete a small object of its own."""
        ...


def check_round_trip(store: Store) -> None:
    """Write, read back and delete an object that no tenant can have: a slug has no underscore."""
    key, content = f"_check/{secrets.token_urlsafe(16)}", secrets.token_bytes(64)
    store.put(key, io.BytesIO(content), size=len(content), media_type="application/octet-stream", filename="check")
    try:
        with store.open(key) as found:
            if found.read() != content:
                raise StoreMisconfigured("the store gave back other bytes than it was given")
    finally:
        store.delete(key)
