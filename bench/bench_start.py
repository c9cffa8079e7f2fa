"""The demo's second start, as `make run` makes it: from the command to the first page."""

import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import httpx

from bench.figures import Measured, median
from bench.profiles import profile
from tests.parts.demo import running_demo

_ROUNDS = 5


def run() -> Iterator[Measured]:
    """The first start makes the data."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"

        def start() -> float:
            began = time.perf_counter()
            with running_demo(data) as demo:
                httpx.get(f"{demo.portal}/acme/", trust_env=False, timeout=60).raise_for_status()
                return time.perf_counter() - began

        start()
        name, took = "second start to the first page, s", [start() for _ in range(_ROUNDS)]
        yield median(name, took, "without what make checks first", lambda: profile(start, of="portal.cli demo"))
