"""Behind nginx or Caddy, as in deploy/, one of two servers fails: the other responds, and no form is sent twice."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import httpx
import pytest

from tests.deploy.behind_caddy import DEBIANS, caddy
from tests.deploy.behind_nginx import Behind, nginx
from tests.site.apply.applicant import Page

pytestmark = pytest.mark.verify

Before = partial[AbstractContextManager[Behind]]

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\nConnection: close\r\n\r\nfine"


@dataclass
class Server:
    """A server that records its requests and passes health checks. `dies`: it exits before it responds."""

    dies: bool
    port: int = 0
    asked: list[str] = field(default_factory=list)


@contextmanager
def server(*, dies: bool) -> Iterator[Server]:
    made = Server(dies)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        made.port = listening.getsockname()[1]
        thread = threading.Thread(target=_serve, args=(listening, made), daemon=True)
        thread.start()
        yield made
        listening.shutdown(socket.SHUT_RDWR)
        thread.join(10)


def _serve(listening: socket.socket, made: Server) -> None:
    with suppress(OSError):
        while True:
            line, _ = listening.accept()
            with line:
                line.settimeout(10)
                head = b""
                while b"\r\n\r\n" not in head:
                    head += line.recv(65_536)
                head, _, body = head.partition(b"\r\n\r\n")
                length = next((int(x[15:]) for x in head.split(b"\r\n") if x.lower().startswith(b"content-length:")), 0)
                while len(body) < length:
                    body += line.recv(65_536)
                is_health_check = head.startswith(b"GET /healthz ")
                if not is_health_check:
                    made.asked.append(head.split(b" ")[0].decode())
                if is_health_check or not made.dies:
                    line.sendall(ANSWER)


@pytest.fixture
def dying() -> Iterator[Server]:
    with server(dies=True) as made:
        yield made


@pytest.fixture
def living() -> Iterator[Server]:
    with server(dies=False) as made:
        yield made


@pytest.fixture(params=[nginx, caddy, partial(caddy, program=DEBIANS)], ids=["nginx", "caddy", "debians-caddy"])
def before(request: pytest.FixtureRequest, tmp_path: Path) -> Before:
    """Runs the sample in front of two servers."""
    return partial(request.param, tmp_path / "proxy")


@pytest.fixture
def proxy(before: Before, dying: Server, living: Server) -> Iterator[Behind]:
    with before((dying.port, living.port)) as made:
        yield made


def test_a_page_comes_from_the_other_server(proxy: Behind, dying: Server, living: Server):
    with proxy.browser() as browser:
        answers = [browser.get("/acme/") for _ in range(6)]
    assert [each.text for each in answers] == ["fine"] * 6
    assert dying.asked
    assert living.asked == ["GET"] * 6


def test_a_form_sent_to_a_failed_server_is_not_sent_again_and_an_error_is_shown(
    proxy: Behind, dying: Server, living: Server
):
    sent = 8
    with proxy.browser() as browser:
        answers = [browser.post("/acme/jobs/1/apply", content=b"x" * 200_000) for _ in range(sent)]
    assert len(dying.asked) + len(living.asked) == sent
    told = [each for each in answers if each.status_code == 502]
    assert len(told) == len(dying.asked) > 0
    page = Page(told[0])
    assert "go back to it: what you entered is still there" in page.words
    assert told[0].headers["retry-after"] == "10"


def test_a_form_that_was_not_sent_yet_goes_to_the_other_server(before: Before, living: Server):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    with before((port, living.port)) as proxy, proxy.browser() as browser:
        if before.keywords.get("program") == DEBIANS:  # Caddy 2.6.2 closes a request body that it could not send
            _until_it_is_noticed(browser)
            living.asked.clear()
        answers = [browser.post("/acme/jobs/1/apply", content=b"x" * 200_000) for _ in range(6)]
    assert [each.status_code for each in answers] == [200] * 6
    assert living.asked == ["POST"] * 6


def _until_it_is_noticed(browser: httpx.Client) -> None:
    """Wait until a health check has detected the closed server: forms sent before get an error page."""
    until, taken = time.monotonic() + 30, 0
    while taken < 4:
        assert time.monotonic() < until
        answer = browser.post("/acme/jobs/1/apply", content=b"x" * 200_000)
        taken = taken + 1 if answer.status_code == 200 else 0
        assert answer.status_code == 200 or "go back to it: what you entered is still there" in Page(answer).words


def test_with_both_servers_down_the_error_page_is_in_every_language(before: Before):
    with socket.create_server(("127.0.0.1", 0)) as one, socket.create_server(("127.0.0.1", 0)) as another:
        ports = (one.getsockname()[1], another.getsockname()[1])
    with before(ports) as proxy, proxy.browser() as browser:
        answer = browser.get("/acme/")
    assert answer.status_code in {502, 503}
    assert answer.headers["cache-control"] == "no-store"
    assert "Diese Seite ist vorübergehend nicht verfügbar" in Page(answer).words
