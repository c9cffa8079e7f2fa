"""Objects are returned exactly as they were stored, from a folder and from S3."""

import io
import secrets

import pytest

from portal.adapters.storage.store import Store
from portal.platform.errors import AttachmentMissing
from tests.parts import files


def put(store: Store, key: str, content: bytes) -> str:
    return store.put(key, io.BytesIO(content), size=len(content), media_type="application/pdf", filename="cv.pdf")


@pytest.fixture
def key() -> str:
    return f"acme/{secrets.token_urlsafe(24)}"


@pytest.mark.parametrize("size", [1, 64 * 1024, 64 * 1024 + 1, 9 * 1024 * 1024])
def test_every_byte_is_returned(store: Store, key: str, size: int) -> None:
    content = secrets.token_bytes(size)
    put(store, key, content)
    with store.open(key) as found:
        assert found.read() == content


def test_a_file_can_be_read_in_chunks(store: Store, key: str) -> None:
    put(store, key, files.real("cv.pdf"))
    with store.open(key) as found:
        assert found.read(5) == b"%PDF-"
        assert found.read(1) == b"1"


def test_different_contents_have_different_etags(store: Store, key: str) -> None:
    first = put(store, key, b"one")
    assert first
    assert '"' not in first
    assert put(store, key + "2", b"two") != first
    with store.open_pinned(key) as found:
        assert found.etag == first


def test_the_longest_valid_key_works(store: Store) -> None:
    key = "a" * 50 + "/" + "b" * 49
    assert len(key) == 100
    put(store, key, b"content")
    with store.open(key) as found:
        assert found.read() == b"content"


def test_file_names_in_any_script_are_stored(store: Store, key: str) -> None:
    store.put(key, io.BytesIO(b"x"), size=1, media_type="text/plain", filename='履歴書 "José"; 100%.txt')
    with store.open(key) as found:
        assert found.read() == b"x"


@pytest.mark.parametrize("announced", [4, 6])
def test_a_file_of_another_size_than_announced_is_not_stored(store: Store, key: str, announced: int) -> None:
    with pytest.raises(ValueError, match="as many bytes"):
        store.put(key, io.BytesIO(b"12345"), size=announced, media_type="text/plain", filename="cv.txt")
    with pytest.raises(AttachmentMissing), store.open(key):
        pass
    assert list(store.keys(key)) == []


def test_an_unknown_file_is_reported_as_missing(store: Store, key: str) -> None:
    with pytest.raises(AttachmentMissing) as raised, store.open(key):
        pass
    assert key not in str(raised.value)


def test_deleting_a_file_twice_is_no_error(store: Store, key: str) -> None:
    put(store, key, b"content")
    store.delete(key)
    store.delete(key)
    with pytest.raises(AttachmentMissing), store.open(key):
        pass


def test_keys_are_listed_by_prefix(store: Store, key: str) -> None:
    tenant = f"t{secrets.token_hex(8)}"
    for name in ("one", "two", "other"):
        put(store, f"{tenant}/{name}", b"x")
    put(store, key, b"x")
    assert sorted(store.keys(f"{tenant}/")) == [f"{tenant}/one", f"{tenant}/other", f"{tenant}/two"]
    assert sorted(store.keys(f"{tenant}/o")) == [f"{tenant}/one", f"{tenant}/other"]
    assert {f"{tenant}/two", key} <= set(store.keys(""))
    assert list(store.keys("nobody/")) == []


def test_the_preflight_check_passes_and_leaves_no_files(store: Store) -> None:
    before = set(store.keys("_check/"))  # left by a test that stopped the server during its check
    store.check()
    assert set(store.keys("_check/")) == before
