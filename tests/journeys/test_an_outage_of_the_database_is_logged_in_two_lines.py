"""Server and worker log an outage of PostgreSQL once, and its end once, under any load.

A second outage directly after the first is logged likewise."""

import itertools
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from tests.journeys.server import command, settings
from tests.parts.line import line
from tests.parts.postgres import Postgres, running_postgres
from tests.parts.process import free_port, paused, running
from tests.schemas import PORTAL, postgres_template

pytestmark = pytest.mark.verify

AWAY = 15.0
VISITORS = 4


@contextmanager
def visited(site: str) -> Iterator[list[int]]:
    """Request uncached pages by several visitors; return the statuses."""
    seen: list[int] = []
    ended, numbers = threading.Event(), itertools.count()

    def visit() -> None:
        with httpx.Client(base_url=site, trust_env=False, timeout=60) as client:
            while not ended.wait(0.01):
                seen.append(client.get("/acme/", params={"q": f"word{next(numbers)}"}).status_code)

    people = [threading.Thread(target=visit) for _ in range(VISITORS)]
    for one in people:
        one.start()
    try:
        yield seen
    finally:
        ended.set()
        for one in people:
            one.join()


def told(log: Path, since: int) -> list[str]:
    """Return the log lines of a process since then, without access lines."""
    found = [json.loads(one) for one in log.read_text().splitlines()[since:]]
    # The company's service is unavailable in this test, which is logged.
    found = [one for one in found if one.get("event") != "answered" and one.get("tenant") != "acme"]
    return [f"{one.get('event') or one['message']} {one.get('part', '')}".strip() for one in found]


@pytest.fixture
def server() -> Iterator[Postgres]:
    with running_postgres() as own:
        own.create(name="portal", template=postgres_template(own, PORTAL))
        yield own


@pytest.mark.parametrize("how", ["cut off", "hangs"])
def test_each_process_logs_the_outage_once_and_its_end_once(how: str, tmp_path: Path, server: Postgres):
    port = free_port()
    logs = {name: tmp_path / f"{name}.log" for name in ("serve", "worker")}
    with ExitStack() as stack:
        wire = stack.enter_context(line(server.port))
        env = settings(tmp_path, f"postgresql+psycopg://portal@127.0.0.1:{wire.port}/portal")
        for name, options in (("serve", ["--port", str(port)]), ("worker", [])):
            argv = command(name, *options)
            stack.enter_context(running(argv, log=logs[name], ready=lambda: True, env=env))
        site = f"http://127.0.0.1:{port}"
        until(lambda: is_there(site))
        time.sleep(3)  # in which the worker starts a task
        since = {name: len(path.read_text().splitlines()) for name, path in logs.items()}
        with visited(site) as seen:
            if how == "hangs":
                with paused(server.pid):
                    time.sleep(AWAY)
            else:
                for _ in range(2):
                    wire.cut()
                    time.sleep(AWAY)
                    wire.mend()
                    until(lambda: is_there(site))
                    time.sleep(5)
            until(lambda: is_there(site))
            time.sleep(5)
        assert seen.count(503) > VISITORS
        both = ["away database", "recovered database"] * (2 if how == "cut off" else 1)
        assert told(logs["serve"], since["serve"]) == both
        # A worker waits a minute for a response before it treats a hanging server as unavailable.
        assert told(logs["worker"], since["worker"]) == (both if how == "cut off" else [])


def is_there(site: str) -> bool:
    try:
        return httpx.get(f"{site}/acme/?q=there", trust_env=False, timeout=20).is_success
    except httpx.HTTPError:
        return False


def until(true: Callable[[], object], *, seconds: float = 90) -> None:
    ends = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < ends
        time.sleep(0.2)
