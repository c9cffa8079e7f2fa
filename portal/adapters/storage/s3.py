"""Attachments in an S3 bucket, or in a bucket of a compatible server.

Each object is one PUT, streamed from the file: a PUT carries up to 5 GiB, five times the largest limit that can be set.
Unlike a multi-part upload it keeps no part in memory and leaves none behind when it is interrupted.
"""

import io
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from datetime import datetime
from typing import TYPE_CHECKING, Any, BinaryIO, cast
from urllib.parse import urlsplit

import boto3
from botocore import UNSIGNED
from botocore.config import Config

from portal.adapters.storage.s3_errors import failing, not_s3
from portal.adapters.storage.store import (
    INCOMING_TYPE,
    FormPost,
    Pinned,
    ReleaseSlot,
    check_key,
    check_round_trip,
    content_disposition,
    filename_in,
)
from portal.platform.errors import AttachmentMissing

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

NOT_PUBLIC = "none"
"""Value in place of an origin if browsers cannot reach the bucket, or if it does not accept forms."""
_CONNECT_TIMEOUT = 3.0
_READ_TIMEOUT = 15.0
_ATTEMPTS = 2  # a visitor waits for the response to a form; callers retry what is not urgent
_CONNECTIONS = 50
_NOBODYS = "_reach/"
"""A prefix that no key has."""
_DELETED = 204
ACTIONS = {
    "put_object": ("s3:PutObject",),
    "generate_presigned_post": ("s3:PutObject",),
    "get_object": ("s3:GetObject",),
    "copy_object": ("s3:GetObject", "s3:PutObject"),
    "delete_object": ("s3:DeleteObject",),
    "get_paginator": ("s3:ListBucket",),
    "list_objects_v2": ("s3:ListBucket",),
}
"""IAM actions that each call of S3Store needs. Without ListBucket, S3 answers 403 for a missing object, not 404."""


class S3Store:
    """A store in one bucket. boto3 finds credentials and region in its usual places.

    endpoint: origin of an S3-compatible server, addressed path-style. public: the origin at which browsers reach that
    server, if it is another one; NOT_PUBLIC if they cannot. read_timeout: seconds without a byte. waiting: entered
    while waiting for the server.
    """

    def __init__(
        self,
        bucket: str,
        *,
        endpoint: str | None,
        public: str | None = None,
        read_timeout: float = _READ_TIMEOUT,
        waiting: ReleaseSlot = nullcontext,
    ) -> None:
        self._bucket = bucket
        self._waiting = waiting
        self._public = public
        self._client = client_of(bucket, endpoint=endpoint, read_timeout=read_timeout)
        self._origin = None if public == NOT_PUBLIC else public or _origin_of(bucket, endpoint)

    def put(self, key: str, body: BinaryIO, *, size: int, media_type: str, filename: str) -> str:
        """Store the object; S3 makes it visible only once it is complete."""
        check_key(key)
        start = body.tell()
        if body.seek(0, io.SEEK_END) - start != size:
            raise ValueError("the body does not hold as many bytes as were announced")
        body.seek(start)
        with failing(self._bucket), self._waiting():
            answer = self._client.put_object(
                Bucket=self._bucket,
                Key=key,
                Body=body,
                ContentLength=size,
                ContentType=media_type,
                ContentDisposition=content_disposition(filename),
            )
        return self._etag(answer)

    @contextmanager
    def open(self, key: str) -> Iterator[BinaryIO]:
        """Open the object's bytes; a connection that breaks during reading raises StoreUnavailable in the block."""
        with self.open_pinned(key) as found:
            yield found.content

    @contextmanager
    def open_pinned(self, key: str) -> Iterator[Pinned]:
        """Open the object's bytes with the ETag of the version that is sent."""
        check_key(key)
        with failing(self._bucket):
            with self._waiting():
                answer = self._client.get_object(Bucket=self._bucket, Key=key)
            body = answer["Body"]
            try:
                etag = self._etag(answer)
                filename = filename_in(answer.get("ContentDisposition", ""))
                media_type = answer.get("ContentType", INCOMING_TYPE)[:100]
                yield Pinned(cast("BinaryIO", body), answer["ContentLength"], etag, media_type, filename)
            finally:
                body.close()

    def copy(self, source: str, key: str, *, etag: str, media_type: str, filename: str) -> str:
        """Have the server copy the object if its ETag is still the same; no bytes pass through the portal."""
        check_key(source)
        check_key(key)
        with failing(self._bucket), self._waiting():
            answer = self._client.copy_object(
                Bucket=self._bucket,
                Key=key,
                CopySource={"Bucket": self._bucket, "Key": source},
                CopySourceIfMatch=f'"{etag}"',
                MetadataDirective="REPLACE",
                ContentType=media_type,
                ContentDisposition=content_disposition(filename),
            )
        copied = self._etag(answer.get("CopyObjectResult", {}))
        # Ceph ignores the condition. Its ETags are hashes of the bytes, as all are where no KMS key is used.
        if copied != etag and not answer.get("ServerSideEncryption", "").startswith("aws:kms"):
            self.delete(key)
            raise AttachmentMissing("the attachment was replaced by another")
        return copied

    @property
    def origin(self) -> str | None:
        """The origin to which browsers upload."""
        return self._origin

    def form_post(self, key: str, *, least: int, most: int, seconds: int) -> FormPost | None:
        """Return a POST policy for this key, type and size; it is signed locally, without a request."""
        check_key(key)
        if self._origin is None:
            return None
        given = {"Content-Type": INCOMING_TYPE}
        with failing(self._bucket):
            made = self._client.generate_presigned_post(
                Bucket=self._bucket,
                Key=key,
                Fields=dict(given),
                Conditions=[given, ["content-length-range", least, most]],
                ExpiresIn=seconds,
            )
        url = urlsplit(made["url"])
        # The signature covers the policy but not the host, so the server accepts it under another name.
        return FormPost(f"{self._public or f'{url.scheme}://{url.netloc}'}{url.path}", made["fields"])

    def delete(self, key: str) -> None:
        """Delete the object."""
        check_key(key)
        with failing(self._bucket), self._waiting():
            answer = self._client.delete_object(Bucket=self._bucket, Key=key)
        if answer["ResponseMetadata"]["HTTPStatusCode"] != _DELETED:  # report a failed deletion
            raise not_s3(self._bucket)

    def delete_partial(self, before: datetime) -> None:
        """Do nothing: an object appears once all of its bytes have arrived."""

    def keys(self, prefix: str) -> Iterator[str]:
        """Yield the keys with this prefix, a thousand for each request."""
        yield from (key for key, _ in self._listed(prefix))

    def sizes(self) -> Iterator[tuple[str, int]]:
        """Yield all keys with their sizes, which the same requests return."""
        return self._listed("")

    def _listed(self, prefix: str) -> Iterator[tuple[str, int]]:
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=prefix)
        with failing(self._bucket):
            for page in pages:
                self._require_list(page)
                yield from ((entry["Key"], entry.get("Size", 0)) for entry in page.get("Contents", ()))

    def reach(self) -> None:
        """Check that the bucket exists by requesting an empty list; any web server may answer a HEAD with 200."""
        with failing(self._bucket), self._waiting():
            self._require_list(self._client.list_objects_v2(Bucket=self._bucket, Prefix=_NOBODYS, MaxKeys=1))

    def check(self) -> None:
        """Write, read back and delete a small object."""
        check_round_trip(self)

    def _etag(self, answer: Mapping[str, Any]) -> str:
        """Return the ETag, which every S3 server sends; raise StoreUnavailable without one."""
        etag = answer.get("ETag")
        if not etag:
            raise not_s3(self._bucket)
        return str(etag).strip('"')

    def _require_list(self, answer: Mapping[str, Any]) -> None:
        """Raise StoreUnavailable unless it is a list of keys: other pages do not contain the bucket's name."""
        if not answer.get("Name"):
            raise not_s3(self._bucket)


def client_of(
    bucket: str, *, endpoint: str | None, read_timeout: float = _READ_TIMEOUT, signed: bool = True
) -> "S3Client":
    """Return a client for the bucket with S3Store's settings; nothing is connected to yet. Raises StoreError."""
    config = Config(
        signature_version="s3v4" if signed else UNSIGNED,
        connect_timeout=_CONNECT_TIMEOUT,
        read_timeout=read_timeout,
        retries={"mode": "standard", "total_max_attempts": _ATTEMPTS},
        max_pool_connections=_CONNECTIONS,
        # Not "auto": forms signed that way redirect to the region, and browsers do not resend a file on a redirect.
        s3={"addressing_style": "path" if endpoint or "." in bucket else "virtual"},
        # Compatible servers do not support the newer checksum headers; TLS and the signature protect the bytes.
        request_checksum_calculation="when_required",
        response_checksum_validation="when_required",
    )
    with failing(bucket):
        return boto3.Session().client("s3", endpoint_url=endpoint, config=config)


def _origin_of(bucket: str, endpoint: str | None) -> str:
    """Return the bucket's origin, without credentials, because a credentials server may be slow to respond."""
    client = client_of(bucket, endpoint=endpoint, signed=False)
    try:
        url = urlsplit(client.generate_presigned_url("head_bucket", Params={"Bucket": bucket}))
    finally:
        client.close()
    return f"{url.scheme}://{url.netloc}"
