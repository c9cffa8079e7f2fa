"""OpenTelemetry is loaded only if its variables are set; without the package a message says so."""

import subprocess
import sys

import pytest

from tests.parts.process import free_port

pytestmark = pytest.mark.verify
WHERE = {"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:9"}
LOOK = """
import sys
{first}
import portal.app, portal.tracker.wsgi, portal.worker, portal.cli
from portal.platform import tracing
from portal.platform.logs.setup import configure_logging
configure_logging(None)
tracing.begin("portal-serve")
with tracing.step("nothing"):
    assert bool(tracing.header()) == ("opentelemetry.sdk" in sys.modules)
print(any(name.startswith("opentelemetry.") for name in sys.modules))
"""


def tracing_state(variables: dict[str, str], first: str = "") -> tuple[str, str]:
    """Return whether OpenTelemetry was loaded, and the log."""
    import os

    env = {name: value for name, value in os.environ.items() if not name.startswith("OTEL_")} | variables
    argv = [sys.executable, "-c", LOOK.format(first=first)]
    done = subprocess.run(argv, env=env, capture_output=True, text=True, timeout=300, check=True)
    return done.stdout.strip(), done.stderr


@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"OTEL_SERVICE_NAME": "careers"},
        {"OTEL_EXPORTER_OTLP_ENDPOINT": " "},
        {**WHERE, "OTEL_SDK_DISABLED": "True"},
        {**WHERE, "OTEL_TRACES_EXPORTER": "none"},
    ],
    ids=["nothing", "a name alone", "empty", "disabled", "none"],
)
def test_opentelemetry_is_not_loaded_by_default(variables: dict[str, str]):
    assert tracing_state(variables) == ("False", "")


@pytest.mark.parametrize(
    "variables",
    [
        WHERE,
        {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": f"http://127.0.0.1:{free_port()}/v1/traces"},
        {**WHERE, "OTEL_SDK_DISABLED": "1", "OTEL_TRACES_EXPORTER": "otlp"},
    ],
    ids=["for all", "for traces", "not disabled"],
)
def test_opentelemetry_is_loaded_if_configured(variables: dict[str, str]):
    loaded, _ = tracing_state(variables)
    assert loaded == "True"


def test_a_missing_opentelemetry_package_is_reported_in_one_line():
    loaded, log = tracing_state(WHERE, "sys.modules['opentelemetry'] = None")
    assert loaded == "False"
    (line,) = log.splitlines()
    assert '"warning"' in line
    assert "requirements/tracing.txt" in line
