"""What is too long for memory is kept as a file, and leaves before the application like anything that is kept."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from portal.gateway.compression import Coding
from portal.gateway.response_cache import ENV_CACHEABLE
from portal.gateway.serving import served
from portal.site.feeds.streaming import CachedFile
from tests.gateway.test_a_kept_answer_does_not_reach_the_application import Stand
from tests.gateway.test_headers_are_read_as_they_were_sent import Scope


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
        """What the production server is told to send."""
        told: list[object] = []

        class Exchange:
            def response_bytes(self, status, headers, body):
                told.extend((status, dict(headers), body))

            def response_file(self, status, headers, file):
                told.extend((status, dict(headers), Path(file)))

        scope = Scope(method=lines.pop("method", "GET"), path="/a", lines=list(lines.items()))
        sending = served(self, threads=2, of_network=None).__rsgi__(scope, Exchange())
        with ThreadPoolExecutor(1) as thread:  # a browser test that came before may have left a loop in this one
            thread.submit(asyncio.run, sending).result()
        return told


@pytest.fixture
def stand(tmp_path: Path) -> FileStand:
    return FileStand(tmp_path)


def test_the_server_is_given_the_file_and_not_its_bytes(stand: FileStand):
    for _ in range(2):
        status, headers, sent = stand.by_server()
        assert (status, sent) == (200, stand.plain)
        assert headers["Content-Length"] == "200000"
    status, headers, sent = stand.by_server(**{"accept-encoding": "br"})
    assert (sent, headers["Content-Encoding"], headers["ETag"]) == (stand.packed, "br", '"tag-br"')
    assert stand.asked == ["/a"]


def test_who_has_it_or_asks_for_its_head_gets_no_file(stand: FileStand):
    assert stand.by_server(**{"if-none-match": '"tag"'})[::2] == [304, b""]
    assert stand.by_server(method="HEAD")[::2] == [200, b""]


def test_any_other_server_gets_it_in_pieces(stand: FileStand):
    answer = stand.front.find_cached({"REQUEST_METHOD": "GET", "PATH_INFO": "/a"}) or stand.front.respond(
        {"REQUEST_METHOD": "GET", "PATH_INFO": "/a"}
    )
    pieces = [len(piece) for piece in answer.send(lambda *_: None)]
    assert sum(pieces) == 200_000
    assert max(pieces) == 65_536


def test_a_file_that_was_taken_away_is_made_anew(stand: FileStand):
    stand.get("/a")
    stand.plain.unlink()
    assert len(stand.get("/a").data) == 200_000
    assert stand.asked == ["/a", "/a"]
