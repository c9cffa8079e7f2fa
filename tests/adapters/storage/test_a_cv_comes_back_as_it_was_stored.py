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
def test_every_byte_comes_back(store: Store, key: str, size: int) -> None:
    content = secrets.token_bytes(size)
    put(store, key, content)
    with store.open(key) as found:
        assert found.read() == content


def test_the_bytes_can_be_read_in_pieces(store: Store, key: str) -> None:
    put(store, key, files.real("cv.pdf"))
    with store.open(key) as found:
        assert found.read(5) == b"%PDF-"
        assert found.read(1) == b"1"


def test_the_etag_tells_contents_apart(store: Store, key: str) -> None:
    first = put(store, key, b"one")
    assert first
    assert '"' not in first
    assert put(store, key + "2", b"two") != first
    with store.open_pinned(key) as found:
        assert found.etag == first


def test_the_longest_key_that_the_service_takes_works(store: Store) -> None:
    key = "a" * 50 + "/" + "b" * 49
    assert len(key) == 100
    put(store, key, b"content")
    with store.open(key) as found:
        assert found.read() == b"content"


def test_a_file_name_in_any_script_can_go_along(store: Store, key: str) -> None:
    store.put(key, io.BytesIO(b"x"), size=1, media_type="text/plain", filename='履歴書 "José"; 100%.txt')
    with store.open(key) as found:
        assert found.read() == b"x"


@pytest.mark.parametrize("announced", [4, 6])
def test_nothing_is_stored_when_the_size_is_not_the_one_announced(store: Store, key: str, announced: int) -> None:
    with pytest.raises(ValueError, match="as many bytes"):
        store.put(key, io.BytesIO(b"12345"), size=announced, media_type="text/plain", filename="cv.txt")
    with pytest.raises(AttachmentMissing), store.open(key):
        pass
    assert list(store.keys(key)) == []


def test_what_was_never_stored_is_missing(store: Store, key: str) -> None:
    with pytest.raises(AttachmentMissing) as raised, store.open(key):
        pass
    assert key not in str(raised.value)


def test_a_deleted_cv_is_gone_and_deleting_it_again_is_fine(store: Store, key: str) -> None:
    put(store, key, b"content")
    store.delete(key)
    store.delete(key)
    with pytest.raises(AttachmentMissing), store.open(key):
        pass


def test_keys_are_listed_by_their_beginning(store: Store, key: str) -> None:
    tenant = f"t{secrets.token_hex(8)}"
    for name in ("one", "two", "other"):
        put(store, f"{tenant}/{name}", b"x")
    put(store, key, b"x")
    assert sorted(store.keys(f"{tenant}/")) == [f"{tenant}/one", f"{tenant}/other", f"{tenant}/two"]
    assert sorted(store.keys(f"{tenant}/o")) == [f"{tenant}/one", f"{tenant}/other"]
    assert {f"{tenant}/two", key} <= set(store.keys(""))
    assert list(store.keys("nobody/")) == []


def test_the_preflight_passes_and_leaves_nothing_behind(store: Store) -> None:
    before = set(store.keys("_check/"))  # of a test that stopped the server while it was checked
    store.check()
    assert set(store.keys("_check/")) == before
