"""Objects in a bucket have their checked media type, and their name as in RFC 6266 and 8187."""

import io
import secrets
from typing import TYPE_CHECKING

import boto3
import pytest
from botocore.config import Config

from portal.adapters.storage.s3 import S3Store

if TYPE_CHECKING:
    from tests.parts.radosgw import RunningRadosgw

pytestmark = pytest.mark.xdist_group("radosgw")


def test_media_type_and_name_are_stored_by_the_server(s3: "RunningRadosgw") -> None:
    key = f"acme/{secrets.token_urlsafe(24)}"
    store = S3Store(s3.bucket, endpoint=s3.endpoint)
    etag = store.put(key, io.BytesIO(b"x"), size=1, media_type="application/pdf", filename="Lebenslauf Müller.pdf")
    client = boto3.Session().client("s3", endpoint_url=s3.endpoint, config=Config(s3={"addressing_style": "path"}))
    found = client.head_object(Bucket=s3.bucket, Key=key)
    client.close()
    assert found["ContentType"] == "application/pdf"
    assert found["ETag"].strip('"') == etag
    assert found["ContentDisposition"] == (
        "attachment; filename=\"Lebenslauf Muller.pdf\"; filename*=UTF-8''Lebenslauf%20M%C3%BCller.pdf"
    )


def test_more_keys_than_one_page_are_listed(s3: "RunningRadosgw") -> None:
    store = S3Store(s3.bucket, endpoint=s3.endpoint)
    tenant = f"t{secrets.token_hex(8)}"
    for number in range(1_005):
        store.put(f"{tenant}/{number}", io.BytesIO(b"x"), size=1, media_type="text/plain", filename="cv.txt")
    assert sum(1 for _ in store.keys(f"{tenant}/")) == 1_005
