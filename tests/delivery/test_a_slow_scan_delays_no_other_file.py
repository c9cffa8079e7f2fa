"""While the scanner is busy with one file, the worker lets it check others."""

import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from portal.background.outbox.states import OutboxState
from portal.worker import WorkerThreads
from tests.delivery.scene import scene

TOGETHER = 3


class Clamd(socketserver.ThreadingTCPServer):
    """Calls a file clean once so many are there to be scanned."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Request)
        self.together = threading.Barrier(TOGETHER, timeout=60)


class _Request(socketserver.StreamRequestHandler):
    server: Clamd

    def handle(self) -> None:
        self.rfile.read(len(b"zINSTREAM\0"))
        while size := int.from_bytes(self.rfile.read(4), "big"):
            self.rfile.read(size)
        self.server.together.wait()
        self.wfile.write(b"stream: OK\0")


@contextmanager
def running_clamd() -> Iterator[str]:
    with Clamd() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"clamd:127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


def test_files_are_scanned_at_the_same_time(database_url: str, tmp_path: Path):
    with running_clamd() as scanner, scene(tmp_path / "scene", database_url, scanner=scanner) as here:
        references = [here.apply(f"p{number}") for number in range(TOGETHER)]
        stop = threading.Event()
        worker = threading.Thread(target=WorkerThreads(here.parts).run, args=(stop,), kwargs={"threads": 4})
        worker.start()
        try:
            here.until(lambda: all(here.overview(one).state is OutboxState.DELIVERED for one in references), "all sent")
        finally:
            stop.set()
            worker.join()
    assert len(here.acme.posted) == TOGETHER
