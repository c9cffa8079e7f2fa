"""The service against a bare Flask view: reading, applying, walking and loading many vacancies.

One thread a server: more of them hand the interpreter's lock to each other at every row that they read of SQLite, which
is what would be measured then.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import psutil
import sqlalchemy as sa
from flask import Flask, Response, request

from bench import wrk
from bench.databases import databases
from bench.figures import Measured, median
from bench.profiles import profile
from bench.tracker_submissions import submitting
from portal.platform.clock import SystemClock
from portal.tracker import administration, tables
from portal.tracker.tables import open_database
from tests.parts.process import accepts, free_port, running
from tests.tracker.office import submission

ROOT = Path(__file__).parents[1]
MANY = int(os.environ.get("MANY", "50000"))
_OURS = "portal.tracker.wsgi:application"
DESCRIPTION = "<p>Weld, measure, explain.</p><ul>" + "<li>Something that matters to robots</li>" * 20 + "</ul>"
LUA = """
local count = 0
local seed = tostring({{}}):sub(8)
request = function()
  count = count + 1
  local body = string.gsub([[{body}]], "ada@", seed .. count .. "@")
  return wrk.format("POST", nil, {{["Content-Type"] = "application/json"}}, body)
end
"""


def run() -> Iterator[Measured]:
    """Loads the vacancies first. MANY: so many."""
    with tempfile.TemporaryDirectory() as name, databases(Path(name), durable=True) as kinds:
        for kind in kinds:
            yield from submitting(kind)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        url = f"sqlite:///{folder / 'tracker.db'}"
        key = _tenant(url)
        yield _loading(folder, url)
        with _serving(_OURS, folder, url) as ours:
            with httpx.Client(base_url=ours, headers={"x-api-key": key}, trust_env=False) as client:
                (folder / "vacancy").write_bytes(client.get(f"/vacancies/v{MANY // 2}").content)
                (folder / "page").write_bytes(client.get("/vacancies", params={"limit": 50}).content)
                _warm_submission(client, folder, url)
                yield _walking(client)
            with _serving("bench.bench_tracker:bare", folder, url) as plain:
                read = ("-H", f"x-api-key: {key}")
                one, page = f"{ours}/vacancies/v{MANY // 2}", f"{ours}/vacancies?limit=50"
                yield _compared("§4.3 / bare Flask view of the same bytes", f"{plain}/vacancy", one, *read)
                yield _compared("§4.1 page of 50 / bare Flask view of the same bytes", f"{plain}/page", page, *read)
                ratio = "§4.8 / bare Flask view that commits a row of that size"
                theirs, mine = f"{plain}/commit", f"{ours}/acme/vacancy-portal/jobs/v2"
                yield _compared(ratio, theirs, mine, "-s", str(_script(folder)))


def _compared(name: str, plain: str, ours: str, *options: str) -> Measured:
    return wrk.compared(name, plain, ours, *options, of=_OURS, connections=8)


def bare() -> Flask:
    """The yardstick: constant bytes, and one row committed. Runs in the folder that holds the bytes."""
    app = Flask("bare")
    bodies = {name: Path(name).read_bytes() for name in ("vacancy", "page", "row")}
    database = open_database(f"sqlite:///{Path('tracker.db').absolute()}")
    row = bodies["row"].decode()

    @app.get("/<name>")
    def constant(name: str) -> Response:
        return Response(bodies[name], content_type="application/json")

    @app.post("/commit")
    def commit() -> Response:
        request.get_data()
        with database.write() as connection:
            connection.execute(sa.text("INSERT INTO rows (text) VALUES (:text)"), {"text": row})
        return Response(b'{"received":true}', 201, content_type="application/json")

    return app


def _tenant(url: str) -> str:
    database, clock = open_database(url), SystemClock()
    administration.add_tenant(database, clock, "acme", "Acme")
    key = administration.create_key(database, clock, "acme")
    with database.write() as connection:
        connection.execute(sa.text("CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT)"))
    database.close()
    return key


def _record(number: int) -> dict[str, Any]:
    return {
        "id": f"v{number}",
        "client": {"client": {"id": f"k{number % 50}", "name": f"Client {number % 50}"}},
        "name": {"name": f"Robot engineer {number}"},
        "description": {"description": DESCRIPTION},
        "stage": {"stage": {"id": "open", "order": 0, "name": "Open", "colorHex": "#15803d"}},
        "location": {"location": {"type": "primary_home", "city": "Leipzig", "country": "DE"}},
        "salaryRange": {"salaryRange": {"currency": "EUR", "min": 40_000, "max": 60_000}},
        "team": {"team": [{"userId": f"u{number % 20}", "name": f"User {number % 20}"}]},
    }


def _loading(folder: Path, url: str) -> Measured:
    file = folder / "vacancies.jsonl"
    with file.open("w", encoding="utf-8") as lines:
        for number in range(MANY):
            lines.write(json.dumps({"kind": "vacancy", "record": _record(number)}) + "\n")
    started, peak = time.perf_counter(), 0
    command = [sys.executable, "-m", "portal.cli", "tracker", "load", "acme", str(file)]
    with subprocess.Popen(command, env=_environment(url), stderr=subprocess.DEVNULL) as process:
        watched = psutil.Process(process.pid)
        while process.poll() is None:
            with suppress(psutil.NoSuchProcess):  # it may end between two looks
                peak = max(peak, watched.memory_info().rss)
            time.sleep(0.05)
    assert process.returncode == 0
    seconds = time.perf_counter() - started
    file.unlink()
    return Measured("loading vacancies, MB at most", peak / 1e6, f"{MANY:,}, {MANY / seconds:,.0f} a second")


def _walking(client: httpx.Client) -> Measured:
    """Each page with its own cursor."""
    cursors: list[str] = []
    params: dict[str, Any] = {"limit": 50}
    while True:
        info = client.get("/vacancies", params=params).json()["pageInfo"]
        if not info["hasNextPage"]:
            break
        params["cursor"] = info["nextCursor"]
        cursors.append(info["nextCursor"])
    assert len(cursors) == MANY // 50 - 1

    def seconds(cursor: str) -> float:
        started = time.perf_counter()
        client.get("/vacancies", params={"limit": 50, "cursor": cursor})
        return time.perf_counter() - started

    pairs = [(seconds(first), seconds(last)) for first, last in zip(cursors[:300], cursors[-300:], strict=True)]
    first, last = (1_000 * statistics.median(column) for column in zip(*pairs, strict=True))
    detail = f"{last:.2f} ms / {first:.2f} ms a page of 50, of {MANY:,}"
    ratios = [last / first for first, last in pairs]

    def again() -> None:
        for cursor in cursors[-300:]:
            seconds(cursor)

    return median("§4.1, the last pages / the first", ratios, detail, partial(profile, again, of=_OURS))


def _warm_submission(client: httpx.Client, folder: Path, url: str) -> None:
    """One application, whose rows say how large the yardstick's row has to be."""
    assert client.post("/acme/vacancy-portal/jobs/v1", json=submission()).status_code == 201
    database = open_database(url)
    with database.read() as connection:
        texts = [
            connection.execute(sa.select(t.c.record)).scalar_one() for t in (tables.candidates, tables.applications)
        ]
    database.close()
    (folder / "row").write_text("".join(texts), encoding="utf-8")


def _script(folder: Path) -> Path:
    body = json.dumps(submission()).replace("%", "%%")
    script = folder / "apply.lua"
    script.write_text(LUA.format(body=body), encoding="utf-8")
    return script


def _environment(url: str) -> dict[str, str]:
    without_end = dict.fromkeys(("TRACKER_RATE_LIMIT", "TRACKER_PUBLIC_RATE_LIMIT"), "10000000")
    return {"PATH": os.defpath, "PYTHONPATH": str(ROOT), "TRACKER_DATABASE_URL": url, **without_end}


@contextmanager
def _serving(target: str, folder: Path, url: str) -> Iterator[str]:
    port = free_port()
    argv = [sys.executable, "-m", "granian", "--interface", "wsgi", "--factory", "--host", "127.0.0.1"]
    argv += ["--port", str(port), "--workers", "1", "--blocking-threads", "1", "--log-level", "error", target]
    with running(argv, log=folder / "log", ready=lambda: accepts(port), cwd=folder, env=_environment(url)):
        yield f"http://127.0.0.1:{port}"
