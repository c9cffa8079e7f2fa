"""A tenth of the load of docs/scale.md on this machine: what unit costs predict, beside what was used.

COSTS=FILE python -m bench capacity measures the unit costs on a small portal first and keeps them in that file. DATA is
a folder that keeps PostgreSQL's data for the next run; the load comes evenly.
"""

import os
import pickle
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from bench.bench_capacity import Costs
from bench.bench_tenants import mirrored
from bench.paced import p99
from bench.unit_costs import REST
from bench.whole_site import FLUSHED, Reading, WholeSite, until, whole_site
from tests.parts.postgres import OWNER, running_postgres

TENANTS, EACH = int(os.environ.get("TENANTS", "1000")), int(os.environ.get("EACH", "500"))
RATE, SECONDS = float(os.environ.get("RATE", "10")), float(os.environ.get("DURATION", "180"))
VIEWS, WEB = int(os.environ.get("VIEWS", "2")), int(os.environ.get("WEB", "2"))
"""Pages of jobs that each applicant looks at before the form; web processes."""
_SETTINGS = {"shared_buffers": "1GB", "max_wal_size": "8GB"}
_VISITORS = 16


def main() -> None:
    """Print a table."""
    costs: Costs = pickle.loads(Path(os.environ["COSTS"]).read_bytes())  # noqa: S301  a file of the run before
    data = Path(os.environ["DATA"])
    data.mkdir(parents=True, exist_ok=True)
    shutil.chown(data, OWNER) if OWNER else None
    with (
        tempfile.TemporaryDirectory() as folder,
        running_postgres(fsync=True, data=data / "data", settings=_SETTINGS) as postgres,
    ):
        if not (data / "mirrored").exists():
            mirrored(postgres.url(postgres.create(name="scale")), tenants=TENANTS, each=EACH, made=100)
            (data / "mirrored").touch()
        with whole_site(Path(folder) / "site", postgres, "scale", tenants=TENANTS, web=WEB) as site:
            print("\n".join(_compared(site, costs)), flush=True)


def _compared(site: WholeSite, costs: Costs) -> list[str]:
    for number in range(30):
        site.visitor().sees_a_job(number)
    read = "SELECT count(*) FROM passes WHERE succeeded_at IS NOT NULL"
    until(lambda: site.count(read) == 2 * TENANTS, "every list was read once")
    before = site.read()
    time.sleep(REST)
    rest = site.read().since(before)
    size, count = site.size(), round(RATE * SECONDS)
    most: dict[str, int] = {}
    stop = threading.Event()
    watcher = threading.Thread(target=_watch, args=(site, most, stop))
    watcher.start()
    before, begun = site.read(), time.monotonic()
    late = p99(_applicant(site), range(count), a_second=RATE, threads=_VISITORS)
    lasted, waiting = time.monotonic() - begun, site.undelivered()
    print(f"accepted within {lasted:.0f} s; {waiting} wait", flush=True)
    until(lambda: site.undelivered() == 0, "everything is delivered")
    time.sleep(FLUSHED)
    used, memory = site.read().since(before), site.memory()
    stop.set()
    watcher.join()
    load = os.getloadavg()[0]
    lines = [
        f"{count} applications within {lasted:.0f} s (asked: {SECONDS:.0f}), {VIEWS} pages each, {WEB} web processes"
    ]
    lines.append(f"99 in 100 within {late:,.0f} ms of their time; {waiting} items waited at the end; load {load:.1f}")
    lines += ["| figure | predicted | measured |", "|---|---|---|"]
    for name, predicted, measured in _rows(costs, used, count):
        lines.append(f"| {name} | {predicted:,.1f} | {measured:,.1f} |")
    rounds = TENANTS * rest.taken / 60
    worker, postgres = costs.units.of_a_round()
    lines.append(f"| a round at rest, worker, ms a tenant | {1e3 * worker:.1f} | {1e3 * rest.worker / rounds:.1f} |")
    lines.append(
        f"| a round at rest, PostgreSQL, ms a tenant | {1e3 * postgres:.1f} | {1e3 * rest.postgres / rounds:.1f} |"
    )
    expected = costs.stored["PostgreSQL"].application
    lines.append(f"| database grown, bytes an application | {expected:,.0f} | {(site.size() - size) / count:,.0f} |")
    for role in ("web", "worker"):
        processes = WEB if role == "web" else 1
        guess = costs.loaded[role] + (TENANTS - costs.units.tenants) * costs.of_a_tenant(role)
        lines.append(
            f"| memory of {role}, MB, {processes} process(es) | {processes * guess:,.0f} | {memory[role]:,.0f} |"
        )
    lines.append(f"| connections at most | {24 * (WEB + 1)} | {most} |")
    return lines


def _rows(costs: Costs, used: Reading, count: int) -> list[tuple[str, float, float]]:
    """CPU seconds of all, and what was written, of so many applications and the rounds beside them."""
    units, rounds = costs.units, TENANTS * used.taken / 60
    seen = [(units.job, VIEWS), (units.form, 1), (units.accepted, 1), (units.receipt, 1), (units.delivered, 1)]

    def predicted(name: str) -> float:
        return count * sum(float(getattr(one, name)) * times for one, times in seen)

    worker, postgres = units.of_a_round()
    return [
        ("CPU of web processes, s", predicted("web"), used.web),
        ("CPU of the worker, s", predicted("worker") + rounds * worker, used.worker),
        ("CPU of PostgreSQL, s", predicted("postgres") + rounds * postgres, used.postgres),
        ("WAL, MB", predicted("wal") / 1e6, used.wal / 1e6),
        ("fsyncs of the WAL", predicted("syncs"), used.syncs),
        ("log, MB", predicted("log") / 1e6, used.log / 1e6),
    ]


def _applicant(site: WholeSite) -> Callable[[int], None]:
    visitor = site.visitor()
    first = int(time.time()) % 100_000 * 1_000

    def applies(number: int) -> None:
        for page in range(VIEWS):
            visitor.sees_a_job(first + number * VIEWS + page)
        visitor.sees_a_receipt(visitor.applies(first + number, visitor.opens_a_form(first + number)))

    return applies


def _watch(site: WholeSite, most: dict[str, int], stop: threading.Event) -> None:
    while not stop.wait(5):
        for role, count in site.connections().items():
            most[role] = max(most.get(role, 0), count)


if __name__ == "__main__":
    main()
