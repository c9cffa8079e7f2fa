"""The faults of the load test, in a seeded random order in which every fault occurs once before any repeats."""

import random
import shutil
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

import psutil

from tests.parts.process import accepts, pause, resume
from tests.soak.deployment import Deployment, until
from tests.soak.observations import Fault, Observations


@dataclass(frozen=True, slots=True)
class Plan:
    """A fault. breaks: causes it, waits, and ends it."""

    name: str
    breaks: Callable[[Deployment], None]


def plans(site: Deployment) -> list[Plan]:
    """Return all faults that are possible in this installation."""
    found = [
        Plan("a server is killed", lambda one: _kill(one, "server-1")),
        Plan("a server hangs for 20 s", lambda one: _hang(one, "server-2", 20)),
        Plan("a worker is killed", lambda one: _kill(one, "worker-1")),
        Plan("a worker hangs for 45 s", lambda one: _hang(one, "worker-2", 45)),
        Plan("both workers are down for 30 s", lambda one: _down(one, "worker-1", "worker-2")),
        Plan("the service is killed and down for 20 s", lambda one: _down(one, "service", seconds=20)),
        Plan("the service hangs for 30 s", lambda one: _hang(one, "service", 30)),
        Plan("the line to the service is cut for 30 s", lambda one: _cut(one, "service")),
        Plan("the line to the service is slow for 40 s", lambda one: _slow(one, "service")),
        Plan("the mail server refuses everything for 30 s", _refuse_mail),
        Plan("the scanner hangs for 30 s", lambda one: _pause(one.clamd.pid, 30)),
        Plan("both servers and workers are upgraded", _upgrade),
    ]
    if site.postgres is not None:
        found += [
            Plan("PostgreSQL hangs for 10 s", lambda one: _pause(one.postgres.pid if one.postgres else 0, 10)),
            Plan("every connection to PostgreSQL is ended", _end_connections),
            Plan("the file storage hangs for 20 s", lambda one: _pause(one.store.pid if one.store else 0, 20)),
            Plan("the line to the file storage is cut for 30 s", lambda one: _cut(one, "store")),
            Plan("the line to the file storage is slow for 30 s", lambda one: _slow(one, "store")),
            Plan("Redis hangs for 30 s", lambda one: _pause(one.redis.pid if one.redis else 0, 30)),
        ]
    elif (site.folder / "disk").is_mount():
        found.append(Plan("the databases' disk is full for 20 s", _fill_the_disk))
    return found


def in_turn(site: Deployment, chance: random.Random) -> Iterator[Plan]:
    """Yield all of them in random order, repeatedly."""
    while True:
        order = plans(site)
        chance.shuffle(order)
        yield from order


@contextmanager
def noted(seen: Observations, name: str, begun: float) -> Iterator[None]:
    """Record a fault in the report for the duration of the block."""
    fault = Fault(name, time.monotonic() - begun)
    seen.faults.append(fault)
    try:
        yield
    finally:
        fault.ended = time.monotonic() - begun


def _kill(site: Deployment, name: str) -> None:
    process = site.processes[name]
    starts = process.starts
    process.send(signal.SIGKILL)
    until(lambda: process.starts > starts, f"{name} is started again")
    if name in site.ports:
        until(lambda: accepts(site.ports[name]), f"{name} listens")


def _hang(site: Deployment, name: str, seconds: float) -> None:
    process = site.processes[name]
    process.send(signal.SIGSTOP)
    time.sleep(seconds)
    process.send(signal.SIGCONT)


def _down(site: Deployment, *names: str, seconds: float = 30) -> None:
    for name in names:
        site.processes[name].held = True
        site.processes[name].send(signal.SIGKILL)
    time.sleep(seconds)
    for name in names:
        site.processes[name].held = False
        if name in site.ports:
            until(lambda name=name: accepts(site.ports[name]), f"{name} listens")


def _upgrade(site: Deployment) -> None:
    """Upgrade the schema to the new release first, then each process in turn."""
    site.portal("db", "upgrade")
    for name in ("server-1", "server-2", "worker-1", "worker-2", "service"):
        site.processes[name].stop()
        site.processes[name].held = False
        if name in site.ports:
            until(lambda name=name: accepts(site.ports[name]), f"{name} listens")


def _pause(pid: int, seconds: float) -> None:
    pause(pid)
    try:
        time.sleep(seconds)
    finally:
        resume(pid)


def _cut(site: Deployment, name: str) -> None:
    site.lines[name].cut()
    time.sleep(30)
    site.lines[name].mend()


def _slow(site: Deployment, name: str) -> None:
    site.lines[name].pause = 0.5
    time.sleep(40 if name == "service" else 30)
    site.lines[name].pause = 0.0


def _refuse_mail(site: Deployment) -> None:
    site.smtp.answer_to_recipient = "451 4.3.0 later"
    time.sleep(30)
    site.smtp.answer_to_recipient = None


def _end_connections(site: Deployment) -> None:
    assert site.postgres is not None
    for child in psutil.Process(site.postgres.pid).children():
        with suppress(psutil.Error):
            if child.cmdline() and "portal" in " ".join(child.cmdline()).partition(":")[2]:
                child.terminate()  # the same effect as pg_terminate_backend


def _fill_the_disk(site: Deployment) -> None:
    disk = site.folder / "disk"
    filler = disk / "filler"
    with filler.open("wb") as file, suppress(OSError):
        while shutil.disk_usage(disk).free:
            file.write(bytes(2**20))
            file.flush()
    time.sleep(20)
    filler.unlink()
