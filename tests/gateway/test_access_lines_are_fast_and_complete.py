"""An access line for standard error alone is formatted in one step, with the same content, and none is lost."""

import json
import subprocess
import sys

from tests.site.small_site import ROOT

MANY = 3_000
PROGRAM = """
import logging, sys
from werkzeug.test import Client
from portal.gateway import Gateway
from portal.gateway.response import GatewayResponse
from portal.gateway.concurrency import ConcurrencyLimit
from portal.gateway.access_log import ENV_ROUTE, RoutePath
from portal.platform.clock import SystemClock
from portal.platform.logs.setup import configure_logging
from portal.platform.logs.formatting import Form
from portal.platform.logs.stderr_writer import flush_all

configure_logging(Form.JSON)
if "listening" in sys.argv:
    logging.getLogger().addHandler(logging.NullHandler())  # somebody listens besides: each line is a record

def application(environ, start_response):
    if environ["PATH_INFO"] != "/nothing":
        environ[ENV_ROUTE] = RoutePath("/<slug>/", environ["PATH_INFO"], "acme")
    start_response("200 OK", [])
    return [b"page"]

front = Gateway(
    application,
    SystemClock(),
    concurrency=ConcurrencyLimit(8, waiting=8),
    max_body_bytes=lambda *_: None,
    busy=lambda: GatewayResponse("503", [], b""),
)
client = Client(front)
for number in range(int(sys.argv[1])):
    client.get("/" if number % 2 else "/nothing", headers={"X-Request-Id": f"id-{number}"})
    if number == 10:
        client.get('/"quoted"\\n', headers={"X-Request-Id": "quoted"})
"""


def lines(count: int, *more: str) -> list[dict]:
    argv = [sys.executable, "-c", PROGRAM, str(count), *more]
    done = subprocess.run(argv, capture_output=True, check=True, text=True, timeout=300, cwd=ROOT)
    return [json.loads(line) for line in done.stderr.splitlines()]


def test_a_process_writes_every_line_before_it_ends():
    told = [line["request"] for line in lines(MANY)]
    assert [one for one in told if one != "quoted"] == [f"id-{number}" for number in range(MANY)]


def test_a_fast_line_has_the_content_of_a_log_record():
    def shown(found: list[dict]) -> list[list]:
        return [[*line.items()] for line in found if not (line.pop("time"), line.pop("pid"), line.pop("seconds"))[3:]]

    written, recorded = lines(20), lines(20, "listening")
    assert [[*line] for line in written] == [[*line] for line in recorded], "the same members in the same order"
    assert all(isinstance(line["seconds"], float) and line["time"].endswith("Z") for line in written)
    assert shown(written) == shown(recorded)
