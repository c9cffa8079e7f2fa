"""The table of docs/operating/capacity.md: what 1, 100 and 10,000 tenants need, from unit costs measured in this run.

It prints Markdown and no ratios. Unit costs are of PostgreSQL, with fsync; only what is stored is of SQLite too.
"""

import math
import os
import pickle
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg

from bench.bench_tenants import mirrored
from bench.figures import Measured
from bench.unit_costs import Stored, UnitCosts, measured, of_a_check, stored
from bench.whole_site import CV, Reading, whole_site
from portal.background.sync.schedule import CHECK_EVERY
from tests.parts.postgres import Postgres, running_postgres

MEASURED, EACH = 200, 50
"""Tenants, and postings of each, of the portal that is measured."""
POSTINGS, APPLICATIONS, VIEWS, PEAK = 500, 10_000, 20, 10
"""Of one tenant: postings, as many new ones a year, applications a year; pages for each; a busy second / a mean one."""
BUSY = 0.6
"""Share of a core that a process is planned to use."""
YEAR = 365 * 86_400
_LISTS = 5
"""Of the pages seen."""


@dataclass(frozen=True, slots=True)
class Costs:
    """What the table is made of. memory: MB of web and worker at rest, with one tenant and with MEASURED."""

    units: UnitCosts
    stored: dict[str, Stored]
    memory: dict[int, dict[str, float]]
    loaded: dict[str, float]
    connections: dict[str, int]
    posting: dict[str, float]

    def web(self) -> Reading:
        """For one application with everything that its person looks at, none of it cached."""
        units = self.units
        parts = [(units.accepted, 1), (units.form, 1), (units.receipt, 1), (units.listing, _LISTS)]
        parts.append((units.job, VIEWS - _LISTS))
        web, postgres = (sum(getattr(one, name) * count for one, count in parts) for name in ("web", "postgres"))
        return Reading(web, 0, postgres, units.accepted.wal, units.accepted.syncs, units.accepted.pages, 0, 0)

    def of_a_tenant(self, role: str) -> float:
        """MB that one more tenant takes in a process."""
        return max(0.0, (self.memory[MEASURED][role] - self.memory[1][role]) / (MEASURED - 1))


def run() -> Iterator[Measured]:
    """Prints both tables; there is no ratio."""
    costs = measure()
    if "COSTS" in os.environ:
        Path(os.environ["COSTS"]).write_bytes(pickle.dumps(costs))
    print("\n".join([*unit_table(costs), "", *table(costs)]), flush=True)
    yield from ()


def measure() -> Costs:
    """Takes about ten minutes."""
    posting, memory = dict[str, float](), dict[int, dict[str, float]]()
    with tempfile.TemporaryDirectory() as name, running_postgres(fsync=True) as postgres:
        folder = Path(name)
        sizes = {
            "PostgreSQL": stored(folder / "stored", postgres.url(postgres.create())),
            "SQLite": stored(folder / "stored-too", f"sqlite:///{folder / 'stored.db'}"),
        }
        database = postgres.create()
        mirrored(postgres.url(database), tenants=MEASURED, each=EACH, made=10)
        posting["PostgreSQL"] = _size(postgres, database) / (MEASURED * EACH)
        mirrored(f"sqlite:///{folder / 'mirror.db'}", tenants=100, each=EACH, made=100)
        posting["SQLite"] = (folder / "mirror.db").stat().st_size / (100 * EACH)
        with whole_site(folder / "one", postgres, database, tenants=1) as site:
            site.visitor().sees_the_list(0)
            time.sleep(20)
            memory[1] = site.memory()
        with whole_site(folder / "many", postgres, database, tenants=MEASURED) as site:
            site.visitor().sees_the_list(0)
            time.sleep(65)
            memory[MEASURED] = site.memory()
            units = measured(site)
            loaded, connections = site.memory(), site.connections()
    return Costs(units, sizes, memory, loaded, connections, posting)


def unit_table(costs: Costs) -> list[str]:
    """The unit costs, as docs/scale.md has them."""
    lines = ["| one | web, ms of CPU | worker | PostgreSQL | WAL, bytes | fsyncs of the WAL | log, bytes |"]
    lines.append("|---|---|---|---|---|---|---|")
    for name, one in (
        ("page, cached", costs.units.cached),
        ("page of a job, not cached", costs.units.job),
        ("list of jobs, not cached", costs.units.listing),
        ("form", costs.units.form),
        ("application accepted, with its file", costs.units.accepted),
        ("receipt", costs.units.receipt),
        ("application delivered, with its email", costs.units.delivered),
    ):
        cpu = " | ".join(f"{max(0, 1_000 * value):.1f}" for value in (one.web, one.worker, one.postgres))
        lines.append(f"| {name} | {cpu} | {max(0, one.wal):,.0f} | {max(0, one.syncs):.1f} | {one.log:,.0f} |")
    worker, postgres = costs.units.of_a_round()
    lines.append(
        f"| round over both lists of a company, nothing new | | {1_000 * worker:.1f} | {1_000 * postgres:.1f} | | | |"
    )
    for kind, size in costs.stored.items():
        application = (
            f"{size.application:,.0f} bytes until the purge, {size.purged:,.0f} after it; an email {size.email:,.0f}, "
        )
        lines.append(
            f"{kind}: an application {application}a session {size.session:,.0f}, a posting {costs.posting[kind]:,.0f}"
        )
    lines.append(f"memory at rest, MB: {costs.memory}; after the measurement: {costs.loaded}")
    lines.append(f"connections after the measurement: {costs.connections}")
    return lines


def table(costs: Costs) -> list[str]:
    """What operators plan with."""
    lines = ["| companies | web processes | workers | memory of both | connections, at most | database | files |"]
    lines.append("|---|---|---|---|---|---|---|")
    check = of_a_check()
    for tenants in (1, 100, 10_000):
        peak = PEAK * tenants * APPLICATIONS / YEAR
        web = math.ceil(peak * costs.web().web / BUSY)
        worker = _workers(costs, tenants, peak, check)
        sizes = {
            role: costs.loaded[role] + costs.of_a_tenant(role) * (tenants - MEASURED) for role in ("web", "worker")
        }
        memory = (web * sizes["web"] + worker * sizes["worker"]) / 1_000
        size = costs.stored["PostgreSQL"]
        a_year = tenants * (APPLICATIONS * size.purged + POSTINGS * costs.posting["PostgreSQL"])
        a_year += tenants * APPLICATIONS / 52 * (size.application - size.purged)
        files = tenants * APPLICATIONS * len(CV)
        lines.append(
            f"| {tenants:,} | {web} | {worker} | {memory:,.1f} GB | {24 * (web + worker):,} "
            f"| {a_year / 1e9:,.2f} GB a year | {files / 1e9:,.0f} GB a year |"
        )
    return lines


def _workers(costs: Costs, tenants: int, peak: float, check: float) -> int:
    """How many: each looks through all tenants by itself, whatever the others do."""
    shared = peak * costs.units.delivered.worker + tenants / 60 * (
        costs.units.of_a_round()[0] - 60 / CHECK_EVERY * check
    )
    return math.ceil(shared / (BUSY - tenants * check / CHECK_EVERY))


def _size(postgres: Postgres, database: str) -> float:
    with psycopg.connect(postgres.url(database).replace("+psycopg", "")) as connection:
        asked = "SELECT sum(pg_total_relation_size(oid)) FROM pg_class WHERE relkind = 'r' AND oid >= 16384"
        return float(sum(row[0] for row in connection.execute(asked)))
