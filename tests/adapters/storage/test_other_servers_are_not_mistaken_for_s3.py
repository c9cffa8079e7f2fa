"""A web server that answers any request with a page, nothing or a redirect is not mistaken for an S3 server."""

import io
from collections.abc import Callable, Iterator

import pytest

from portal.adapters.storage.s3 import S3Store
from portal.platform.errors import StoreUnavailable
from tests.parts.misbehaving import Behaviour, answer, html, misbehaving

pytestmark = pytest.mark.verify

KEY = "acme/canary-of-a-key"
WELL_FORMED = answer(raw=b"<html><body>Welcome</body></html>", headers={"Content-Type": "text/html"})
ANSWERS = {
    "a page": html(),
    "a page that is XML": WELL_FORMED,
    "nothing": answer(raw=b"", status=204, headers={"Content-Length": "", "Content-Type": ""}),
    "elsewhere": answer(raw=b"", status=302, headers={"Location": "/again"}),
}


def read(store: S3Store) -> None:
    with store.open(KEY) as file:
        file.read()


def read_pinned(store: S3Store) -> None:
    with store.open_pinned(KEY) as pinned:
        pinned.content.read()


ASKED: dict[str, Callable[[S3Store], object]] = {
    "put": lambda store: store.put(KEY, io.BytesIO(b"x"), size=1, media_type="text/plain", filename="cv.txt"),
    "open": read,
    "open_pinned": read_pinned,
    "copy": lambda store: store.copy(KEY, "acme/other", etag="x", media_type="text/plain", filename="cv.txt"),
    "keys": lambda store: list(store.keys("acme/")),
    "reach": lambda store: store.reach(),
    "check": lambda store: store.check(),
}


@pytest.fixture(params=ANSWERS)
def nonsense(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[S3Store]:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION"):
        monkeypatch.setenv(name, "eu-central-1")
    with misbehaving(ANSWERS[request.param]) as server:
        yield S3Store("bucket", endpoint=server.url)


@pytest.mark.parametrize("asked", ASKED)
def test_every_operation_on_another_server_is_unavailable(nonsense: S3Store, asked: str):
    with pytest.raises(StoreUnavailable) as raised:
        ASKED[asked](nonsense)
    assert "canary" not in str(raised.value)


@pytest.mark.parametrize("behaviour", [html(), WELL_FORMED])
def test_a_failed_deletion_is_not_reported_as_success(behaviour: Behaviour, monkeypatch: pytest.MonkeyPatch):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION"):
        monkeypatch.setenv(name, "eu-central-1")
    with misbehaving(behaviour) as server, pytest.raises(StoreUnavailable):
        S3Store("bucket", endpoint=server.url).delete(KEY)


def test_an_empty_response_to_an_upload_counts_as_stored(monkeypatch: pytest.MonkeyPatch):
    """S3 responds to a PUT with the object's ETag alone."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION"):
        monkeypatch.setenv(name, "eu-central-1")
    stored = answer(raw=b"", headers={"ETag": '"tag"', "Content-Type": ""})
    with misbehaving(stored) as server:
        assert ASKED["put"](S3Store("bucket", endpoint=server.url)) == "tag"
