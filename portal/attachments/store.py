"""The protocol that every attachment store keeps."""

from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import BinaryIO, Protocol


class Store(Protocol):
    """Objects by key. Every method raises StoreUnavailable or StoreMisconfigured when the store cannot serve."""

    def put(self, key: str, body: BinaryIO, *, size: int, media_type: str, filename: str) -> str:
        """Store `size` bytes read from `body` under a new key; whole or not at all. Returns the object's ETag.

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
        """Keys that start so, streamed."""
        ...

    def check(self) -> None:
        """Write, read back and delete a small object of its own."""
        ...
