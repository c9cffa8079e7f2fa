"""The protocol of attachment stores."""

import hashlib
import io
import re
import secrets
import tempfile
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import BinaryIO, Protocol
from urllib.parse import quote, unquote

from portal.platform.crypto.normal_forms import JOINERS, composed, decomposed
from portal.platform.errors import AttachmentMissing, StoreMisconfigured

INCOMING_TYPE = "application/octet-stream"
"""The media type that browsers have to declare: the real type is determined from the content."""
ReleaseSlot = Callable[[], AbstractContextManager[object]]
"""A context that a store enters while it waits for a server, so that others can use the waiting worker's capacity."""


@dataclass(frozen=True, slots=True)
class FormPost:
    """A form with which a browser uploads one file, as multipart/form-data: all fields in this order, then `file`."""

    url: str
    fields: Mapping[str, str] = field(repr=False)


@dataclass(frozen=True, slots=True)
class Pinned:
    """An object in its current version. etag: identifies these very bytes. size: in bytes.

    media_type, filename: as it was stored, so that a copy can be stored alike; a folder keeps neither.
    """

    content: BinaryIO = field(repr=False)
    size: int
    etag: str
    media_type: str = INCOMING_TYPE
    filename: str = field(default="cv", repr=False)


class Store(Protocol):
    """Objects by key. Every method raises StoreUnavailable or StoreMisconfigured if the storage cannot serve it.

    A key is `{slug}/{random}`, at most 100 characters (check_key); anything else raises ValueError. No error
    message contains a key.
    """

    def put(self, key: str, body: BinaryIO, *, size: int, media_type: str, filename: str) -> str:
        """Store `size` bytes read from `body` under a new key, completely or not at all; return the object's ETag.

        body: seekable, positioned at its first byte; ValueError if it does not have exactly `size` bytes. filename:
        already cleaned; goes into the object's Content-Disposition, if the storage has one.
        """

    def open(self, key: str) -> AbstractContextManager[BinaryIO]:
        """Open the object's bytes as a stream; raise AttachmentMissing if there is none."""

    def open_pinned(self, key: str) -> AbstractContextManager[Pinned]:
        """Open the object's bytes with the ETag of this version; raise AttachmentMissing if there is none."""

    def copy(self, source: str, key: str, *, etag: str, media_type: str, filename: str) -> str:
        """Have the storage copy an object to a new key, completely or not at all; return the copy's ETag.

        Raises AttachmentMissing if there is no object at `source` any more, or one with another ETag.
        """

    def form_post(self, key: str, *, least: int, most: int, seconds: int) -> FormPost | None:
        """Return a form with which a browser can upload only this object, of `least` to `most` bytes, for `seconds`.

        None if browsers cannot reach the storage: then they upload to the portal.
        """

    @property
    def origin(self) -> str | None:
        """The origin of the URLs that form_post() returns; None if it returns none."""

    def delete(self, key: str) -> None:
        """Delete the object; do nothing if there is none."""

    def delete_partial(self, before: datetime) -> None:
        """Delete incomplete objects, which have no key, that killed processes began to write before that instant."""

    def keys(self, prefix: str) -> Iterator[str]:
        """Yield the keys with this prefix, streamed, in no particular order."""

    def sizes(self) -> Iterator[tuple[str, int]]:
        """Yield all keys as keys() does, each with the object's size in bytes; nothing is read."""

    def reach(self) -> None:
        """Raise unless an object would most likely be accepted now; cheap, and leaves nothing behind."""

    def check(self) -> None:
        """Write, read back and delete a small object."""


def check_round_trip(store: Store) -> None:
    """Write, read back and delete an object under a key that no tenant can have: slugs contain no underscore."""
    key, content = f"_check/{secrets.token_urlsafe(16)}", secrets.token_bytes(64)
    store.put(key, io.BytesIO(content), size=len(content), media_type="application/octet-stream", filename="check")
    try:
        with store.open(key) as found:
            if found.read() != content:
                raise StoreMisconfigured("file storage returned other bytes than were stored")
    finally:
        store.delete(key)


def copy_objects(
    source: Store, target: Store, *, verify: bool, report: Callable[[int, int], object]
) -> tuple[int, int]:
    """Copy every object that `target` does not have, and read it back; return how many there are, and new ones.

    verify: read also what was there before, on both sides; else its size has to be the same. report: called with the
    number of objects and of bytes that are done. Raises StoreMisconfigured where an object of the same key is another
    one, StoreUnavailable. It can be run again.
    """
    there = dict(target.sizes())
    done = new = total = 0
    for key, size in source.sizes():
        if not is_key(key):  # skip files that the portal did not store
            continue
        if verify or there.get(key) != size:
            is_same = _copied(source, target, key, is_new=key not in there)
            if is_same is None:
                continue
            if not is_same:
                raise StoreMisconfigured(
                    f"an object has other bytes at the target than at the source: number {done + 1}"
                )
        new += key not in there
        done, total = done + 1, total + size
        report(done, total)
    return done, new


def _copied(source: Store, target: Store, key: str, *, is_new: bool) -> bool | None:
    """Copy one object if it is new; return whether its bytes are the same on both sides. Raises StoreError.

    None: it was deleted from the source after it was listed.
    """
    with tempfile.TemporaryFile() as whole:
        try:
            with source.open_pinned(key) as found:
                digest, size = _digest(found.content, copied_to=whole)
        except AttachmentMissing:
            return None
        if is_new:
            whole.seek(0)
            target.put(key, whole, size=size, media_type=found.media_type, filename=found.filename)
    with target.open(key) as body:
        return (digest, size) == _digest(body)


def _digest(body: BinaryIO, copied_to: BinaryIO | None = None) -> tuple[str, int]:
    """Read to the end; return SHA-256 in hex, and size."""
    digest, size = hashlib.sha256(), 0
    while chunk := body.read(_CHUNK):
        digest.update(chunk)
        size += len(chunk)
        if copied_to:
            copied_to.write(chunk)
    return digest.hexdigest(), size


_CHUNK = 256 * 1024
TOMBSTONES = "_erased/"
"""Prefix of the keys of tombstones (privacy_requests/tombstones.py); no tenant's, because a slug has no underscore."""
_KEY = re.compile(r"[A-Za-z0-9_-]{1,50}/[A-Za-z0-9_-]{1,98}")
_LENGTH = 100  # §8: cvAttachmentId has 1 to 100 characters


def is_folder(name: str) -> bool:
    """Return whether keys can begin with this name; a disk has lost+found beside them, which only root may read."""
    return is_key(f"{name}/-")


def is_key(key: str) -> bool:
    """Return whether this product could have made the key."""
    return len(key) <= _LENGTH and _KEY.fullmatch(key) is not None


def check_key(key: str) -> None:
    """Raise ValueError unless it is a valid key. Only this product makes keys, so a bad one is an internal error."""
    if not is_key(key):
        # The key itself stays out of the message, because it gives access to somebody's CV.
        raise ValueError("not an attachment key: expected slug/random, at most 100 characters of A-Z a-z 0-9 _ -")


_MAX_BYTES = 150
_READ = 2_000
"""Characters of a name that are examined: more than file systems allow, and more than is kept."""
_NOT_IN_NAMES = re.compile(r'["<>|:*?%;]')
_DROPPED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def clean_filename(raw: str, extension: str) -> str:
    """Return a name without path, control characters, bidirectional overrides or characters that file systems reject.

    It ends in `.{extension}`, the true one; it has at most 150 bytes of UTF-8 and is never empty.
    """
    name = composed(re.split(r"[/\\]", raw)[-1][:_READ])
    cleaned = "".join(ch for ch in name if ch in JOINERS or ch in "\t\n" or unicodedata.category(ch) not in _DROPPED)
    stem = re.sub(r"\s+", " ", _NOT_IN_NAMES.sub("_", cleaned)).strip(" ._" + JOINERS)
    ending = f".{extension}"
    if stem.casefold().endswith(ending):
        stem = stem[: -len(ending)].rstrip(" ._")
    if stem.casefold() == extension:  # the name consisted only of an extension
        stem = ""
    short = stem.encode()[: _MAX_BYTES - len(ending)].decode("utf-8", "ignore").rstrip(" ._" + JOINERS)
    return (short or "cv") + ending


def content_disposition(filename: str) -> str:
    """Return the header for downloading under a cleaned name: RFC 6266, with RFC 8187 for non-ASCII characters."""
    ascii_name = decomposed(filename).encode("ascii", "ignore").decode()
    fallback = re.sub(r"[^\w .()+,=@\-]", "_", ascii_name).strip()
    if not fallback.rpartition(".")[0]:  # only the extension was left after cleaning
        fallback = "cv" + fallback
    plain = f'attachment; filename="{fallback}"'
    return plain if fallback == filename else f"{plain}; filename*=UTF-8''{quote(filename, safe='')}"


def filename_in(disposition: str) -> str:
    """Return the name in a header that content_disposition() made; "cv" if there is none."""
    extended = re.search(r"filename\*=UTF-8''([^;\s]+)", disposition[:_READ])
    plain = re.search(r'filename="([^"]*)"', disposition[:_READ])
    name = unquote(extended[1]) if extended else plain[1] if plain else ""
    return name.encode("utf-8", "replace")[:_MAX_BYTES].decode("utf-8", "ignore") or "cv"
