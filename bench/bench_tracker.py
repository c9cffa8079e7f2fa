"""The service against a bare Flask view: reading, applying, walking and loading, at 100,000 vacancies.

Both servers stand side by side; rounds of wrk alternate between them, and a figure is the median of the ratios of
neighbouring rounds, so that a machine that slows down for a while slows down both. One thread a server: more of them
hand the interpreter's lock to each other at every row that they read of SQLite, which is what would be measured then.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import psutil
import sqlalchemy as sa
from flask import Flask, Response, request

from bench.databases import databases
from bench.figures import Figure
from bench.tracker_submissions import submitting
from portal.platform.clock import SystemClock
from portal.tracker import administration, tables
from portal.tracker.tables import open_database
from tests.parts.process import accepts, free_port, running
from tests.tracker.office import submission

ROOT = Path(__file__).parents[1]
ROUNDS, SECONDS, CONNECTIONS = 5, 2, 8
MANY, MEMORY = 100_000, 200
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


def run() -> Iterator[Figure]:
    """Loads the vacancies first, which takes about a minute."""
    with tempfile.TemporaryDirectory() as name, databases(Path(name), durable=True) as kinds:
        for kind in kinds:
            yield from submitting(kind)
    if not shutil.which("wrk"):
        print("    bench_tracker needs wrk: apt-get install wrk")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        url = f"sqlite:///{folder / 'tracker.db'}"
        key = _tenant(url)
        yield _loading(folder, url)
        with _serving("portal.tracker.wsgi:application", folder, url) as ours:
            with httpx.Client(base_url=ours, headers={"x-api-key": key}, trust_env=False) as client:
                (folder / "vacancy").write_bytes(client.get("/vacancies/v50000").content)
                (folder / "page").write_bytes(client.get("/vacancies", params={"limit": 50}).content)
                _warm_submission(client, folder, url)
                yield _walking(client)
            with _serving("bench.bench_tracker:bare", folder, url) as plain:
                read = ["-H", f"x-api-key: {key}"]
                one, page = f"{ours}/vacancies/v50000", f"{ours}/vacancies?limit=50"
                yield _figure("§4.3 / a bare Flask view of the same bytes", 0.35, (f"{plain}/vacancy", []), (one, read))
                yield _figure(
                    "§4.1 page of 50 / a bare Flask view of the same bytes", 0.3, (f"{plain}/page", []), (page, read)
                )
                yield from _applying(folder, plain, ours)


def bare() -> Flask:
    """The yardstick: constant bytes, and one row committed. Runs in the folder that holds the bytes."""
    app = Flask("bare")
    kept = {name: Path(name).read_bytes() for name in ("vacancy", "page", "row")}
    database = open_database(f"sqlite:///{Path('tracker.db').absolute()}")
    row = kept["row"].decode()

    @app.get("/<name>")
    def constant(name: str) -> Response:
        return Response(kept[name], content_type="application/json")

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


def _loading(folder: Path, url: str) -> Figure:
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
    detail = f"{peak / 1e6:.0f} MB, {MANY / seconds:,.0f} records a second"
    return Figure(
        f"peak memory of loading {MANY:,} vacancies, of {MEMORY} MB", peak / 1e6 / MEMORY, 1, "at most", detail
    )


def _walking(client: httpx.Client) -> Figure:
    """The first forty pages against the last forty, each page with its own cursor."""
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
    detail = f"{last:.2f} ms, {first:.2f} ms a page of 50"
    return Figure(f"§4.1, last pages of {MANY:,} against the first", last / first, 1.2, "at most", detail)


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


def _applying(folder: Path, plain: str, ours: str) -> Iterator[Figure]:
    size = len((folder / "row").read_text(encoding="utf-8"))
    body = json.dumps(submission()).replace("%", "%%")
    script = folder / "apply.lua"
    script.write_text(LUA.format(body=body), encoding="utf-8")
    name = f"§4.8 against a bare view that commits a row of its {size:,} characters"
    theirs, mine = f"{plain}/commit", f"{ours}/acme/vacancy-portal/jobs/v2"
    yield _figure(name, 0.4, (theirs, ["-s", str(script)]), (mine, ["-s", str(script)]))


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


def _figure(name: str, target: float, plain: tuple[str, list[str]], ours: tuple[str, list[str]]) -> Figure:
    _per_second(*plain), _per_second(*ours)  # warm
    rounds = [(_per_second(*plain), _per_second(*ours)) for _ in range(ROUNDS)]
    ratio = statistics.median(mine / theirs for theirs, mine in rounds)
    theirs, mine = (statistics.median(column) for column in zip(*rounds, strict=True))
    detail = (
        f"{mine:,.0f} of {theirs:,.0f} a second, median of {ROUNDS} pairs of {SECONDS} s, {CONNECTIONS} connections"
    )
    return Figure(name, ratio, target, "at least", detail)


def _per_second(url: str, options: list[str]) -> float:
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", *options, url]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    if "Non-2xx" in done.stdout:
        raise RuntimeError(f"{url} did not answer 2xx")
    return float(done.stdout.split("Requests/sec:")[1].split()[0])
