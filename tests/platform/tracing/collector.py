"""A trace collector: OTLP over HTTP on loopback, parsed with OpenTelemetry's own messages."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Told:
    """A received span."""

    service: str
    name: str
    trace: str
    id: str
    parent: str
    failed: bool
    said: dict[str, object]
    words: tuple[str, ...]
    """Everything else in it that is text."""


@dataclass
class Collector:
    """A running collector. port: on loopback. answer: the status of responses; None: it never responds."""

    port: int = 0
    answer: int | None = 200
    spans: list[Told] = field(default_factory=list)
    resources: list[dict[str, object]] = field(default_factory=list)
    requests: int = 0
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def named(self, name: str) -> list[Told]:
        return [one for one in self.spans if one.name == name]

    def one(self, name: str) -> Told:
        (found,) = self.named(name)
        return found

    def take(self, body: bytes) -> None:
        from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

        for sent in ExportTraceServiceRequest.FromString(body).resource_spans:
            resource = _facts(sent.resource.attributes)
            self.resources.append(resource)
            for span in (one for scope in sent.scope_spans for one in scope.spans):
                words = [span.trace_state, span.status.message, *(each.name for each in span.events)]
                words += [str(_facts(each.attributes)) for each in [*span.events, *span.links]]
                self.spans.append(
                    Told(
                        service=str(resource["service.name"]),
                        name=span.name,
                        trace=span.trace_id.hex(),
                        id=span.span_id.hex(),
                        parent=span.parent_span_id.hex(),
                        failed=span.status.code == 2,
                        said=_facts(span.attributes),
                        words=tuple(words),
                    )
                )


def _facts(attributes: object) -> dict[str, object]:
    return {one.key: getattr(one.value, str(one.value.WhichOneof("value"))) for one in attributes}  # type: ignore[attr-defined]


@contextmanager
def collecting(answer: int | None = 200) -> Iterator[Collector]:
    """Run a collector within the block."""
    collector = Collector(answer=answer)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            collector.requests += 1
            if collector.answer is None:
                collector.over.wait(60)
                return
            assert self.path == "/v1/traces"
            if collector.answer == 200:
                collector.take(body)
            self.send_response(collector.answer)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    collector.port = server.server_port
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield collector
    finally:
        collector.over.set()
        server.shutdown()
        server.server_close()
