"""Responses too large for memory are cached as files and sent without calling the application."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from portal.gateway.compression import Coding
from portal.gateway.response_cache import ENV_CACHEABLE
from portal.gateway.serving import served
from portal.site.feeds.streaming import CachedFile
from tests.gateway.test_cached_responses_do_not_reach_the_application import CountingApplication
from tests.gateway.test_request_headers_become_wsgi_variables import Scope


class FileStand(Stand):
    def __init__(self, folder: Path) -> None:
        super().__init__()
        self.plain, self.packed = folder / "plain", folder / "packed"
        self.write()

    def write(self) -> None:
        self.plain.write_bytes(b"x" * 200_000)
        self.packed.write_bytes(b"small")

    def application(self, environ, start_response):
        self.asked.append(environ["PATH_INFO"])
        self.write()
        files = {Coding.IDENTITY: (self.plain, 200_000), Coding.BROTLI: (self.packed, 5)}
        environ[ENV_CACHEABLE] = CachedFile([("Content-Type", "text/plain")], files, etag="tag", lifetime=self.lifetime)
        start_response("200 OK", [])
        return []

    @property
    def wsgi_app(self):
        return self.front

    def by_server(self, **lines: str) -> list[object]:
        """Return what the production server is told to send."""
        told: list[object] = []

        class Exchange:
            def response_bytes(self, status, headers, body):
                told.extend((status, dict(headers), body))

            def response_file(self, status, headers, file):
                told.extend((status, dict(headers), Path(file)))

        scope = Scope(method=lines.pop("method", "GET"), path="/a", lines=list(lines.items()))
        sending = served(self, threads=2, of_network=None).__rsgi__(scope, Exchange())
        with ThreadPoolExecutor(1) as thread:  # an earlier browser test may have left an event loop in this thread
            thread.submit(asyncio.run, sending).result()
        return told


@pytest.fixture
def stand(tmp_path: Path) -> FileStand:
    return FileStand(tmp_path)


def test_the_server_gets_the_file_and_not_its_bytes(stand: FileStand):
    for _ in range(2):
        status, headers, sent = stand.by_server()
        assert (status, sent) == (200, stand.plain)
        assert headers["Content-Length"] == "200000"
    status, headers, sent = stand.by_server(**{"accept-encoding": "br"})
    assert (sent, headers["Content-Encoding"], headers["ETag"]) == (stand.packed, "br", '"tag-br"')
    assert stand.asked == ["/a"]


def test_conditional_and_head_requests_get_no_file(stand: FileStand):
    assert stand.by_server(**{"if-none-match": '"tag"'})[::2] == [304, b""]
    assert stand.by_server(method="HEAD")[::2] == [200, b""]


def test_a_plain_wsgi_server_gets_the_file_in_chunks(stand: FileStand):
    answer = stand.front.find_cached({"REQUEST_METHOD": "GET", "PATH_INFO": "/a"}) or stand.front.respond(
        {"REQUEST_METHOD": "GET", "PATH_INFO": "/a"}
    )
    pieces = [len(piece) for piece in answer.send(lambda *_: None)]
    assert sum(pieces) == 200_000
    assert max(pieces) == 65_536


def test_a_deleted_cached_file_is_made_again(stand: FileStand):
    stand.get("/a")
    stand.plain.unlink()
    assert len(stand.get("/a").data) == 200_000
    assert stand.asked == ["/a", "/a"]
