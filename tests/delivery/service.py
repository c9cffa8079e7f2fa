"""A recruitment tracking service under a test's control: it accepts, rejects, responds slowly, hangs or is unavailable.

Received requests and stored applications are two lists, so that a test can tell an application that was sent twice
from one that was stored twice."""

import json
import socket
import ssl
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.parts.misbehaving import Behaviour, answer

OPTIONAL = (
    "latestActivity", "latestActivity.date", "latestActivity.isInbound", "latestActivity.type", "stage", "owner",
    "owner.owner", "candidate", "candidate.id", "candidate.firstName", "candidate.lastName", "candidate.emails",
    "candidate.lastActivityAt", "isPlaced", "applicationState", "applicationState.state", "noteCount", "commentCount",
    "uncompletedTaskCount",
)  # fmt: skip
"""What an application of §4.6's answer has beside its id, by path (§2.7); the interface requires none of it."""


@dataclass(frozen=True)
class Posted:
    """One request of §4.8."""

    slug: str
    posting_id: str
    reference: str | None
    body: dict[str, Any]


@dataclass(frozen=True)
class Deed:
    """How a request is handled: whether the application is stored, the response, and whether it confirms success."""

    takes: bool
    says: Behaviour
    clearly: bool = True


def taken() -> Deed:
    return Deed(takes=True, says=answer({"received": True}))


def refused(says: Behaviour) -> Deed:
    return Deed(takes=False, says=says)


Mood = Callable[[Posted], Deed]


@dataclass
class Service:
    """The service's address and records. honours_keys: whether it supports Idempotency-Key."""

    honours_keys: bool = True
    shows_applications: bool = True
    mood: Mood = field(default=lambda _: taken())
    before_listing: Callable[[], None] = field(default=lambda: None)
    listing: Behaviour | None = None
    """Instead of §4.6's answer."""
    tls: ssl.SSLContext | None = None
    """What it speaks TLS by, from the next up() on."""
    pages: Behaviour | None = None
    """Instead of every answer to a GET: a proxy in between."""
    leaves_out: set[str] = field(default_factory=set)
    """Members that no application of §4.6's answer has: one of OPTIONAL, or any other by its path."""
    posted: list[Posted] = field(default_factory=list)
    has: list[Posted] = field(default_factory=list)
    ambiguous: Counter[str | None] = field(default_factory=Counter)
    """How often it took an application and did not clearly say so."""
    answered: int = 0
    """How many requests for an application it has done with."""
    read_back: int = 0
    jobs: list[str] = field(default_factory=lambda: ["job-1", "job-2"])
    port: int = 0
    at: dict[str, datetime] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _server: ThreadingHTTPServer | None = None
    _fillers: list[socket.socket] = field(default_factory=list)
    _open: set[socket.socket] = field(default_factory=set)
    _cut: set[socket.socket] = field(default_factory=set)
    """Those that ended before their time, so that nobody knows what the other side got to see."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def plan(self, *deeds: Deed) -> None:
        """Set the handling of the next requests, one each; the last one repeats."""
        left = list(deeds)
        self.mood = lambda _: left.pop(0) if len(left) > 1 else left[0]

    def counts(self) -> Counter[str | None]:
        """Return how often it has each application, by reference."""
        with self._lock:
            return Counter(one.reference for one in self.has)

    def handle(self, one: Posted) -> Behaviour:
        with self._lock:
            self.posted.append(one)
        deed = self.mood(one)
        if deed.takes:
            with self._lock:
                if not (self.honours_keys and any(known.reference == one.reference for known in self.has)):
                    self.has.append(one)
                    self.at[one.body["email"]] = datetime.now(UTC)
                self.ambiguous[one.reference] += not deed.clearly
        return deed.says

    def up(self) -> None:
        """Listen again on the same port."""
        self._server = _Server(("127.0.0.1", self.port), _handler_of(self))
        self.port = self._server.server_address[1]
        if self.tls:
            self._server.socket = self.tls.wrap_socket(self._server.socket, server_side=True)
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()

    def down(self) -> None:
        """Stop listening, and close open connections."""
        self.empty()
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
        with self._lock:
            self._cut |= self._open
            for connection in self._open:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)

    def fill(self) -> None:
        """Listen without accepting, with a full queue, so that clients wait for a connection."""
        self.down()
        listener = socket.socket()
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", self.port))
        listener.listen(0)
        self._fillers.append(listener)
        for _ in range(4):
            caller = socket.socket()
            caller.setblocking(False)
            with suppress(BlockingIOError):
                caller.connect(("127.0.0.1", self.port))
            self._fillers.append(caller)
        time.sleep(0.05)

    def empty(self) -> None:
        """Undo fill()."""
        for one in self._fillers:
            one.close()
        self._fillers.clear()


@contextmanager
def service(**told: Any) -> Iterator[Service]:
    """Run a service within the block."""
    made = Service(**told)
    made.up()
    try:
        yield made
    finally:
        made.down()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, *_: object) -> None:
        """Ignore connections that killed clients have broken."""


def _handler_of(service: Service) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            super().setup()
            with service._lock:
                service._open.add(self.connection)

        def finish(self) -> None:
            with service._lock:
                service._open.discard(self.connection)
                service._cut.discard(self.connection)
            with suppress(OSError):
                super().finish()

        def log_message(self, *_: object) -> None:
            """Log nothing."""

        def do_POST(self) -> None:
            slug, _, _, posting_id = self.path.strip("/").split("/")
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            reference = self.headers["Idempotency-Key"]
            self._say(service.handle(Posted(slug, posting_id, reference, body)))
            with service._lock:
                service.answered += self.connection not in service._cut
                service.ambiguous[reference] += self.connection in service._cut

        def do_GET(self) -> None:
            self._say(service.pages or _answer_to(service, self.path))

        def _say(self, behaviour: Behaviour) -> None:
            self.close_connection = True
            with suppress(OSError):
                self.close_connection = not behaviour(self.connection)

    return Handler


def _answer_to(service: Service, path: str) -> Behaviour:
    """Return the response to a GET."""
    if path.startswith("/applications/vacancy/"):
        service.read_back += 1
        return service.listing or _applications(service, path.rpartition("/")[2])
    if path.startswith("/vacancies"):
        service.before_listing()
        return _vacancies(service, int(parse_qs(urlsplit(path).query).get("limit", ["50"])[0]))
    if path.startswith("/candidates"):
        return answer({"items": [], "pageInfo": {"nextCursor": "", "hasNextPage": False}})
    return answer(status=404)


def _vacancies(service: Service, limit: int) -> Behaviour:
    """Return the first page; a test that has more jobs than fit on one requests no second page."""
    items = [vacancy(one) for one in service.jobs[:limit]]
    return answer({"items": items, "pageInfo": {"nextCursor": "", "hasNextPage": False}})


def vacancy(identity: str) -> dict[str, Any]:
    return {
        "id": identity,
        "name": {"viewType": "vacancyName", "name": f"Welder {identity}"},
        "description": {"viewType": "vacancyDescription", "description": "<p>Weld.</p>"},
        "stage": {"viewType": "vacancyStage", "stage": {"id": "open", "order": 1, "name": "Open"}},
        "createdAt": {"viewType": "vacancyCreatedAt", "createdAt": "2026-05-01T08:00:00Z"},
    }


def _applications(service: Service, vacancy_id: str) -> Behaviour:
    if not service.shows_applications:
        return answer({"message": "no such thing"}, status=404)
    found = [
        _application(number, one, service.at[one.body["email"]])
        for number, one in enumerate(service.has)
        if one.posting_id == vacancy_id
    ]
    for application in found:
        for path in service.leaves_out:
            _leave_out(application, path)
    return answer({"vacancy": vacancy(vacancy_id), "applications": found})


def _application(number: int, one: Posted, at: datetime) -> dict[str, Any]:
    """§2.7."""
    return {
        "id": f"a{number}",
        "latestActivity": {"type": "applicationCreated", "isInbound": True, "date": at.isoformat()},
        "stage": {"id": "s1", "order": 1, "name": "Applied"},
        "owner": {"viewType": "applicationOwner", "owner": {"id": "u1", "name": "Ito"}},
        "candidate": {
            "viewType": "applicationCandidate",
            "id": f"c{number}",
            "firstName": one.body.get("firstName"),
            "lastName": one.body.get("lastName"),
            "emails": [one.body["email"]],
            "lastActivityAt": at.isoformat(),
        },
        "isPlaced": False,
        "applicationState": {"viewType": "applicationState", "state": "for-review"},
        "noteCount": 0,
        "commentCount": 0,
        "uncompletedTaskCount": 0,
    }


def _leave_out(application: dict[str, Any], path: str) -> None:
    *above, name = path.split(".")
    holder = application
    for each in above:
        holder = holder.get(each, {})
    holder.pop(name, None)
