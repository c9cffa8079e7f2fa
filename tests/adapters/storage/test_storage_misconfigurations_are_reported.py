"""Wrong credentials, a missing bucket and an unusable folder are reported as misconfiguration, without a key."""

import io
import secrets
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from portal.adapters.storage.opening import open_store
from portal.adapters.storage.store import Store
from portal.platform.errors import SettingsError, StoreMisconfigured

if TYPE_CHECKING:
    from tests.parts.radosgw import RunningRadosgw

KEY = "acme/canary-of-a-key"
on_s3 = pytest.mark.xdist_group("radosgw")


def assert_misconfigured(store: Store, *, says: str) -> None:
    with pytest.raises(StoreMisconfigured, match=says) as raised:
        store.put(KEY, io.BytesIO(b"x"), size=1, media_type="text/plain", filename="cv.txt")
    assert "canary" not in str(raised.value)
    assert raised.value.__cause__ is None
    with pytest.raises(StoreMisconfigured), store.open(KEY):
        pass
    with pytest.raises(StoreMisconfigured):
        list(store.keys("acme/"))
    with pytest.raises(StoreMisconfigured):
        store.check()


@on_s3
def test_a_wrong_secret_key_is_reported(s3: "RunningRadosgw", monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", secrets.token_urlsafe(30))
    assert_misconfigured(
        open_store(f"s3://{s3.bucket}", s3_endpoint=s3.endpoint), says="refuses: SignatureDoesNotMatch"
    )


@on_s3
def test_an_unknown_access_key_is_reported(s3: "RunningRadosgw", monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "NOBODY")
    assert_misconfigured(open_store(f"s3://{s3.bucket}", s3_endpoint=s3.endpoint), says="refuses: InvalidAccessKeyId")


@on_s3
def test_a_missing_bucket_is_reported_by_name(s3: "RunningRadosgw") -> None:
    assert_misconfigured(open_store("s3://no-such-bucket", s3_endpoint=s3.endpoint), says="no bucket no-such-bucket")


@on_s3
def test_missing_credentials_are_reported(s3: "RunningRadosgw", monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    store = open_store(f"s3://{s3.bucket}", s3_endpoint=s3.endpoint)
    with pytest.raises(StoreMisconfigured, match="check credentials"):
        store.check()


def test_a_folder_that_is_a_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    store = open_store(f"file:{tmp_path / 'taken'}", s3_endpoint=None)
    with pytest.raises(StoreMisconfigured, match="check PORTAL_ATTACHMENTS") as raised:
        store.put(KEY, io.BytesIO(b"x"), size=1, media_type="text/plain", filename="cv.txt")
    assert "canary" not in str(raised.value)


@pytest.mark.parametrize("address", ["", "file:", "s3:", "s3://", "s3:bucket", "ftp://x", "attachments"])
def test_an_invalid_storage_address_is_reported_with_its_setting(address: str) -> None:
    with pytest.raises(SettingsError, match="PORTAL_ATTACHMENTS"):
        open_store(address, s3_endpoint=None)
