"""Responses too large for memory are cached as files and sent without calling the application."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from portal.gateway.compression import Coding
from portal.gateway.response_cache import ENV_CACHEABLE
from portal.gateway.serving import rsgi_application
from portal.site.feeds.streaming import CachedFile
from tests.gateway.test_cached_responses_do_not_reach_the_application import CountingApplication
from tests.gateway.test_request_headers_become_wsgi_variables import Scope


class FileApplication(CountingApplication):
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
        sending = rsgi_application(self, threads=2, bodies_per_network=None).__rsgi__(scope, Exchange())
        with ThreadPoolExecutor(1) as thread:  # an earlier browser test may have left an event loop in this thread
            thread.submit(asyncio.run, sending).result()
        return told


@pytest.fixture
def application_with_file(tmp_path: Path) -> FileApplication:
    return FileApplication(tmp_path)


def test_the_server_gets_the_file_and_not_its_bytes(application_with_file: FileApplication):
    for _ in range(2):
        status, headers, sent = application_with_file.by_server()
        assert (status, sent) == (200, application_with_file.plain)
        assert headers["Content-Length"] == "200000"
    status, headers, sent = application_with_file.by_server(**{"accept-encoding": "br"})
    assert (sent, headers["Content-Encoding"], headers["ETag"]) == (application_with_file.packed, "br", '"tag-br"')
    assert application_with_file.asked == ["/a"]


def test_conditional_and_head_requests_get_no_file(application_with_file: FileApplication):
    assert application_with_file.by_server(**{"if-none-match": '"tag"'})[::2] == [304, b""]
    assert application_with_file.by_server(method="HEAD")[::2] == [200, b""]


def test_a_plain_wsgi_server_gets_the_file_in_chunks(application_with_file: FileApplication):
    answer = application_with_file.front.find_cached(
        {"REQUEST_METHOD": "GET", "PATH_INFO": "/a"}
    ) or application_with_file.front.respond({"REQUEST_METHOD": "GET", "PATH_INFO": "/a"})
    pieces = [len(piece) for piece in answer.send(lambda *_: None)]
    assert sum(pieces) == 200_000
    assert max(pieces) == 65_536


def test_a_deleted_cached_file_is_made_again(application_with_file: FileApplication):
    application_with_file.get("/a")
    application_with_file.plain.unlink()
    assert len(application_with_file.get("/a").data) == 200_000
    assert application_with_file.asked == ["/a", "/a"]
