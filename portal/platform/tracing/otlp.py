"""OpenTelemetry, configured by its own variables: sampling, a bounded queue, a thread that sends.

Its automatic instrumentation of Flask and httpx is not used: it records URLs, which hold ids and what people search
for.
"""

import logging
import threading
from collections.abc import Mapping, Sequence
from importlib.metadata import version

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from portal.platform.clock import Clock, SystemClock
from portal.platform.logs import EventName
from portal.platform.logs.allowed_fields import Fact
from portal.platform.logs.events import Event
from portal.platform.tracing import spans

log = logging.getLogger(__name__)

_EVENTS = logging.getLogger("portal.events")
_LIBRARY = logging.getLogger("opentelemetry")
"""It logs every failed attempt to reach a collector; this module reports that instead, less often."""
_PROPAGATOR = TraceContextTextMapPropagator()
_NOWHERE = Context()
_SELDOM = 60.0
"""Seconds between log lines."""


class _Span:
    """Implementation of spans.Span."""

    def __init__(self, span: trace.Span) -> None:
        self._span = span

    def header(self) -> str:
        carrier: dict[str, str] = {}
        _PROPAGATOR.inject(carrier, trace.set_span_in_context(self._span, _NOWHERE))
        return carrier[spans.HEADER]

    def say(self, facts: Mapping[str, Fact]) -> None:
        self._span.set_attributes(facts)

    def end(self, *, name: str | None = None, failed: bool = False) -> None:
        if name:
            self._span.update_name(name)
        if failed:
            self._span.set_status(trace.StatusCode.ERROR)
        self._span.end()


class Tracing:
    """Implementation of spans.SpanSource. service: name of the service where no variable sets one."""

    def __init__(self, service: str) -> None:
        ours = Resource({"service.name": service, "service.version": version("careers-portal")})
        resource = Resource.create().merge(ours).merge(OTELResourceDetector().detect())
        self._sending = BatchSpanProcessor(RateLimitedLog(OTLPSpanExporter(), SystemClock()))
        # It would wait for half a minute when a process ends, whether or not there is anything to send.
        provider = TracerProvider(resource=resource, shutdown_on_exit=False)
        provider.add_span_processor(self._sending)
        self._tracer = provider.get_tracer("portal", version("careers-portal"))
        # Errors in its variables have been logged by now.
        _LIBRARY.setLevel(logging.CRITICAL)
        self._events = _Noting(logging.INFO)
        _EVENTS.addHandler(self._events)

    def start_request(self, name: str, traceparent: str | None) -> _Span:
        """Start the span of a request; an invalid traceparent is ignored."""
        parent = _PROPAGATOR.extract({spans.HEADER: traceparent}, _NOWHERE) if traceparent else _NOWHERE
        return _Span(self._tracer.start_span(name, parent, trace.SpanKind.SERVER))

    def start(self, name: str) -> _Span:
        """Start a new trace."""
        return _Span(self._tracer.start_span(name, _NOWHERE, trace.SpanKind.CLIENT))

    def end(self, timeout: float) -> None:
        """Send what is left. timeout: seconds."""
        _EVENTS.removeHandler(self._events)
        # shutdown has no time limit, and a collector that hangs must not delay a stop.
        leaving = threading.Thread(target=self._sending.shutdown, daemon=True, name="traces")
        leaving.start()
        leaving.join(timeout)


class _Noting(logging.Handler):
    """Log handler that adds an accepted request's reference to its span, so that the delivery can be found by it."""

    def emit(self, record: logging.LogRecord) -> None:
        message: object = record.msg
        span = spans.current()
        if span and isinstance(message, Event) and message.happened in {EventName.ACCEPTED, EventName.REFUSED}:
            facts = message.facts()
            span.say(spans.named({name: facts[name] for name in ("reference", "kind", "reason") if name in facts}))


class RateLimitedLog(SpanExporter):
    """Exporter that sends spans, and logs at most once a minute how many were lost."""

    def __init__(self, to: SpanExporter, clock: Clock) -> None:
        self._to = to
        self._clock = clock
        self._lost = 0
        self._said = float("-inf")

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        """Send spans; called in the thread that sends."""
        try:
            result = self._to.export(spans)
        except Exception as error:  # noqa: BLE001  a failure of the collector must not affect requests
            result = SpanExportResult.FAILURE
            log.debug("a fault in sending: %s", type(error).__name__)
        if result is not SpanExportResult.SUCCESS:
            self._tell(len(spans))
        return result

    def _tell(self, lost: int) -> None:
        self._lost += lost
        if self._clock.monotonic() - self._said < _SELDOM:
            return
        log.warning("the collector did not take %d spans: see OTEL_EXPORTER_OTLP_ENDPOINT", self._lost)
        self._said, self._lost = self._clock.monotonic(), 0

    def shutdown(self) -> None:
        """Stop sending."""
        self._to.shutdown()
