"""The protocol that every attachment store keeps."""

import io
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import BinaryIO, Protocol

from portal.errors import StoreMisconfigured

INCOMING_TYPE = "application/octet-stream"
"""What browsers have to say that they send: what a file is, its content decides."""
Waiting = Callable[[], AbstractContextManager[object]]
"""What a store enters while it waits for a server, so that others can have the room of who waits."""


@dataclass(frozen=True, slots=True)
class FormPost:
    """Where a browser posts one file by itself, as multipart/form-data: every field in this order, then `file`."""

    url: str
    fields: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Pinned:
    """An object as it is now. etag: stands for these very bytes; size: how many there are."""

    content: BinaryIO = field(repr=False)
    size: int
    etag: str


class Store(Protocol):
    """Objects by key. Every method raises StoreUnavailable or StoreMisconfigured when the store cannot serve.

    A key is `{slug}/{random}`, at most 100 characters (keys.check_key); anything else raises ValueError. No error
    holds a key.
    """

    def put(self, key: str, body: BinaryIO, *, size: int, media_type: str, filename: str) -> str:
        """Store `size` bytes read from `body` under a new key; whole or not at all. Returns the object's ETag.

        body can seek and stands at its first byte; ValueError if it does not hold exactly `size` bytes.
        filename is already cleaned; it goes into the object's Content-Disposition, where a store has one.
        """
        ...

    def open(self, key: str) -> AbstractContextManager[BinaryIO]:
        """The object's bytes, streamed; AttachmentMissing if there is none."""
        ...

    def open_pinned(self, key: str) -> AbstractContextManager[Pinned]:
        """The same, with what tells these bytes from others that may come under the key; AttachmentMissing."""
        ...

    def copy(self, source: str, key: str, *, etag: str, media_type: str, filename: str) -> str:
        """Have the store copy an object to a new key; whole or not at all. Returns the ETag of what is there.

        AttachmentMissing where there is none at `source` any more, or one of another ETag.
        """
        ...

    def form_post(self, key: str, *, least: int, most: int, seconds: int) -> FormPost | None:
        """Where a browser may post this object alone for so many seconds, of `least` to `most` bytes.

        None where browsers cannot reach the store: then the portal receives it.
        """
        ...

    @property
    def origin(self) -> str | None:
        """Of the addresses that form_post() gives; None where it gives none."""
        ...

    def delete(self, key: str) -> None:
        """Remove the object; removing what is not there is fine."""
        ...

    def keys(self, prefix: str) -> Iterator[str]:
        """Keys that start so, streamed, in no promised order."""
        ...

    def reach(self) -> None:
        """Raise unless an object would most likely be taken now; asks little and leaves nothing."""
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
