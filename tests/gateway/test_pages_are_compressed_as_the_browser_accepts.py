"""Pages are compressed with brotli, zstd or gzip, whichever the browser accepts, each with its own ETag."""

import gzip
from collections.abc import Iterator

import brotli
import pytest
import zstandard

from tests.builders import Portal, portal
from tests.site.browse.jobs import FILE, vacancy

OPEN = {"br": brotli.decompress, "gzip": gzip.decompress, "zstd": zstandard.decompress, None: bytes}


@pytest.fixture(scope="module")
def acme(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Portal]:
    """Shared: no test changes it."""
    site = portal(tmp_path_factory.mktemp("acme"))
    site.add_tenant("acme", "Acme Robotics", FILE.format(salary="true", client="false"))
    site.service.load("acme", [vacancy(f"w{number}", f"Welder {number}") for number in range(30)])
    site.work.mirror_what_is_due()
    yield site
    site.parts.close()


def get(acme: Portal, path: str, accept: str | None, **headers: str):
    with acme.browser(**headers) as browser:
        del browser.headers["accept-encoding"]
        request = browser.build_request("GET", path)
        if accept is not None:
            request.headers["Accept-Encoding"] = accept
        answer = browser.send(request, stream=True)
        return answer, b"".join(answer.iter_raw())


@pytest.mark.parametrize(
    "path", ["/acme/", "/acme/jobs/w1", "/acme/?q=welder", "/acme/jobs/w1/apply", "/static/css/site.css"]
)
@pytest.mark.parametrize(
    ("accept", "coding"),
    [
        ("gzip, deflate, br, zstd", "br"),
        ("gzip, br;q=0.9", "gzip"),
        ("gzip;q=0.5, zstd", "zstd"),
        ("gzip;q=0", None),
        ("br;q=0, *", "zstd"),
        ("identity", None),
        ("", None),
        (None, None),
        ("gzip," * 100, None),
        ("br\x01;;q=x", None),
    ],
)
def test_the_preferred_encoding_is_used(acme, path, accept, coding):
    _, words = get(acme, path, None)
    for _ in range(2):  # made now, and cached
        answer, body = get(acme, path, accept)
        assert answer.status_code == 200
        assert answer.headers.get("Content-Encoding") == coding
        assert answer.headers["Vary"] == "Accept-Encoding"
        assert int(answer.headers["Content-Length"]) == len(body)
        if "apply" not in path:  # each encoding is separate
            assert OPEN[coding](body) == words
        if coding:
            assert len(body) < len(words) / 2


@pytest.mark.parametrize("path", ["/acme/", "/acme/jobs/w1", "/acme/?q=welder", "/static/css/site.css"])
def test_an_unchanged_page_is_not_sent_again_and_each_encoding_has_its_own_etag(acme, path):
    tags = {coding: get(acme, path, coding)[0].headers["ETag"] for coding in ("br", "gzip", "zstd", "identity")}
    assert len(set(tags.values())) == 4
    assert not any(tag.startswith("W/") for tag in tags.values())
    for coding, tag in tags.items():
        again, body = get(acme, path, coding, **{"If-None-Match": tag})
        assert (again.status_code, body) == (304, b"")
        assert again.headers["ETag"] == tag
        assert "Content-Encoding" not in again.headers
        assert get(acme, path, coding, **{"If-None-Match": '"another"'})[0].status_code == 200
    assert get(acme, path, "br", **{"If-None-Match": tags["gzip"]})[0].status_code == 200


@pytest.mark.parametrize("path", ["/acme/", "/acme/?q=welder", "/acme/jobs/w1", "/static/css/site.css"])
@pytest.mark.parametrize("coding", ["br", "identity"])
def test_head_returns_the_headers_of_get(acme, path, coding):
    whole, _ = get(acme, path, coding)
    with acme.browser() as browser:
        head = browser.head(path, headers={"Accept-Encoding": coding})
    assert head.content == b""
    told = ("etag", "vary", "content-encoding", "content-length", "content-type")
    assert [head.headers.get(name) for name in told] == [whole.headers.get(name) for name in told]


def test_personal_pages_are_not_compressed(acme):
    """The length of a compressed page reveals a secret in it (BREACH)."""
    answer, _ = get(acme, "/acme/profile", "br, gzip")
    assert "no-store" in answer.headers["Cache-Control"]
    assert "Content-Encoding" not in answer.headers


def test_tiny_responses_are_not_compressed(acme):
    answer, body = get(acme, "/healthz", "br")
    assert body == b"ok\n"
    assert "Content-Encoding" not in answer.headers


def test_static_files_are_cached_forever_under_their_own_version_alone(acme):
    fixed = acme.browser().get("/acme/").text.split('rel="stylesheet" href="')[1].split('"')[0]
    assert "immutable" in get(acme, fixed, "br")[0].headers["Cache-Control"]
    assert get(acme, "/static/css/site.css?v=old", "br")[0].headers["Cache-Control"] == "public, no-cache"
    assert get(acme, "/static/css/none.css", "br")[0].status_code == 404
