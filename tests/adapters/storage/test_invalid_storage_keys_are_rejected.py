"""A key is slug/random; anything else is rejected before the storage is used, and no message repeats it."""

import io
from pathlib import Path

import pytest

from portal.adapters.storage.local import LocalStore
from portal.adapters.storage.store import check_key

WRONG = [
    "",
    "acme",
    "acme/",
    "/etc",
    "/etc/passwd",
    "../outside",
    "acme/..",
    "acme/../globex/cv",
    "acme/cv.pdf",
    "acme/a/b",
    "acme\\cv",
    "acme/cv\n",
    "acme/cv\0",
    "acme/%2e%2e",
    "acme/ä",
    "a" * 51 + "/b",
    "a" * 50 + "/" + "b" * 50,
    "acme/" + "b" * 99,
]


@pytest.mark.parametrize("key", WRONG)
def test_an_invalid_key_is_rejected_without_being_repeated(key: str, tmp_path: Path) -> None:
    store = LocalStore(tmp_path / "store")
    with pytest.raises(ValueError, match="not an attachment key") as raised:
        store.put(key, io.BytesIO(b"x"), size=1, media_type="text/plain", filename="cv.txt")
    if len(key) > 4:
        assert key not in str(raised.value)
    with pytest.raises(ValueError, match="not an attachment key"), store.open(key):
        pass
    with pytest.raises(ValueError, match="not an attachment key"):
        store.delete(key)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("key", ["a/b", "acme/Ab-_9", "a" * 50 + "/" + "b" * 49, "a/" + "b" * 98])
def test_a_key_of_1_to_100_characters_is_accepted(key: str) -> None:
    check_key(key)
