"""A traced portal with one tenant and its service, and a collector."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from portal.platform import tracing
from tests.platform.tracing.collector import Collector, collecting

if TYPE_CHECKING:
    from tests.builders import Portal

Traced = Callable[[], Collector]


@pytest.fixture
def acme(tmp_path: Path) -> "Iterator[Portal]":
    from tests.site.account.candidate import open_acme

    made = open_acme(tmp_path / "portal")
    yield made
    made.parts.database.close()


@pytest.fixture
def traced(acme: "Portal", monkeypatch: pytest.MonkeyPatch) -> Iterator[Traced]:
    """Trace everything from now on; the yielded function returns the collector once all spans have arrived."""
    with collecting() as collector:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.address)
        tracing.begin("portal-serve", continue_incoming_traces=True)

        def told() -> Collector:
            tracing.end()
            return collector

        yield told
        tracing.end()
