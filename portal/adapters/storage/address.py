"""Opens the storage that the setting PORTAL_ATTACHMENTS names."""

from contextlib import nullcontext
from pathlib import Path

from portal.adapters.storage.local import LocalStore
from portal.adapters.storage.store import Store, Waiting
from portal.platform.errors import SettingsError


def folder_of(address: str) -> Path | None:
    """Return the folder of a storage in a folder; None for any other."""
    kind, _, where = address.partition(":")
    return Path(where) if kind == "file" and where else None


def bucket_of(address: str) -> str | None:
    """Return the name of a storage's bucket; None for any other storage."""
    kind, _, where = address.partition(":")
    return where.removeprefix("//") or None if kind == "s3" and where.startswith("//") else None


def open_store(
    address: str, *, s3_endpoint: str | None, s3_public: str | None = None, waiting: Waiting = nullcontext
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
