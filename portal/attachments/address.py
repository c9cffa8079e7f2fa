"""From the setting PORTAL_ATTACHMENTS to the store it names."""

from contextlib import nullcontext
from pathlib import Path

from portal.attachments.local import LocalStore
from portal.attachments.store import Store, Waiting
from portal.errors import SettingsError


def folder_of(address: str) -> Path | None:
    """The folder of a store that is one; None of any other."""
    kind, _, where = address.partition(":")
    return Path(where) if kind == "file" and where else None


def bucket_of(address: str) -> str | None:
    """The bucket of a store that is one; None of any other."""
    kind, _, where = address.partition(":")
    return where.removeprefix("//") or None if kind == "s3" and where.startswith("//") else None


def open_store(
    address: str, *, s3_endpoint: str | None, s3_public: str | None = None, waiting: Waiting = nullcontext
) -> Store:
    """address: `file:FOLDER` or `s3://BUCKET`; s3_endpoint: origin of an S3-compatible server; s3_public: by which
    browsers reach it, if it is another, or "none". waiting: entered while such a server is waited for.

    Connects to nothing yet. Raises SettingsError, or StoreMisconfigured when boto3's own configuration is wrong.
    """
    folder = folder_of(address)
    if folder:
        return LocalStore(folder)
    bucket = bucket_of(address)
    if bucket:
        from portal.attachments.s3 import S3Store

        return S3Store(bucket, endpoint=s3_endpoint, public=s3_public, waiting=waiting)
    raise SettingsError("PORTAL_ATTACHMENTS: expected file:FOLDER or s3://BUCKET")
