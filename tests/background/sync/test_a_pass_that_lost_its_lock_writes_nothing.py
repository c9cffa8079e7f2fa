"""A worker that lost its lock with its connection never overwrites the writes of the worker that took over."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from portal.background.sync import health, state
from portal.background.sync.lease import Lease
from portal.background.sync.tables import ListName, passes
from portal.platform.database.db import Database
from portal.platform.errors import LeaseLost
from tests.background.sync.companies import until
from tests.jobs.conftest import Mirror
from tests.jobs.standin import StandIn, vacancy
from tests.people.index.index_scene import IndexScene
from tests.told_clock import ToldClock


def lose_every_lock(database: Database) -> None:
    """Release all locks: cut the connections to PostgreSQL, or delete the lock files of SQLite."""
    if database.is_sqlite:
        path = Path(str(database.engine.url.database))
        for each in path.parent.glob(f"{path.name}.*.lock"):
            each.unlink()
        return
    mine = "locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
    with database.read() as connection:
        connection.execute(sa.text(f"SELECT pg_terminate_backend(pid) FROM pg_locks WHERE {mine}"))  # noqa: S608  constants

    def is_gone() -> bool:
        with database.read() as connection:
            return connection.scalar(sa.text(f"SELECT count(*) FROM pg_locks WHERE {mine}")) == 0  # noqa: S608  constants

    until(is_gone, "its session is over")


@contextmanager
def meanwhile(first: Callable[[], Any], reached: threading.Event, go_on: threading.Event) -> Iterator[list[Any]]:
    """Run the block while `first` waits where it sets `reached`; afterwards yield its result."""
    ended: list[Any] = []

    def attempt() -> None:
        try:
            ended.append(first())
        except LeaseLost as error:
            ended.append(error)

    thread = threading.Thread(target=attempt)
    thread.start()
    try:
        assert reached.wait(30)
        yield ended
    finally:
        go_on.set()
        thread.join(30)


def test_a_pass_over_vacancies_without_its_lock_writes_nothing(database: Database):
    clock = ToldClock()
    mirrored = Mirror(database, clock, StandIn(clock))
    for number in range(60):
        mirrored.service.put(vacancy(f"v{number}", "Nurse"))
        clock.pass_time(1)
    reached, go_on = threading.Event(), threading.Event()
    main = threading.current_thread()

    def stand_at_page_two(request: Any) -> None:
        if threading.current_thread() is not main and "cursor" in request.url.params:
            reached.set()
            assert go_on.wait(30)

    mirrored.service.fault = stand_at_page_two
    with meanwhile(lambda: mirrored.sync(full=True), reached, go_on) as ended:
        lose_every_lock(database)
        mirrored.service.put(vacancy("v59", "Doctor"))
        mirrored.sync(full=True)
        mirrored.service.put(vacancy("v59", "Nurse"))  # what the first pass is about to read must not be stored
        after = state.load(database, ListName.VACANCIES, "acme")
    assert isinstance(ended[0], LeaseLost)
    assert mirrored.titles("doctor") == ["Doctor"]
    assert state.load(database, ListName.VACANCIES, "acme") == after


def test_a_pass_over_candidates_without_its_lock_writes_nothing(scene: IndexScene):
    scene.load(*[(f"c-{n}", [f"c{n}@people.example"]) for n in range(60)])
    scene.load(("ada-id", ["old@people.example"]))
    reached, go_on = threading.Event(), threading.Event()
    main, app = threading.current_thread(), scene.service.app

    @app.after_request
    def stand_at_page_two(answer: Any) -> Any:
        import flask

        if threading.current_thread() is not main and "cursor" in flask.request.args:
            reached.set()
            assert go_on.wait(30)
        return answer

    with meanwhile(lambda: scene.sync(full=True), reached, go_on) as ended:
        lose_every_lock(scene.db)
        scene.load(("ada-id", ["new@people.example"]))
        scene.sync(full=True)
        after = state.load(scene.db, ListName.CANDIDATES, "acme")
    assert isinstance(ended[0], LeaseLost)
    assert (scene.ids("old@people.example"), scene.ids("new@people.example")) == ([], ["ada-id"])
    assert state.load(scene.db, ListName.CANDIDATES, "acme") == after


def test_a_pass_that_lost_its_lock_before_its_first_write_does_not_start(database: Database):
    state.load(database, ListName.VACANCIES, "acme")
    first, second = (Lease(database, ListName.VACANCIES, "acme", None) for _ in range(2))
    with second.write() as connection:
        connection.execute(sa.update(passes).values(error="second"))
    with pytest.raises(LeaseLost), first.write() as connection:
        connection.execute(sa.update(passes).values(error="first"))
    with second.write() as connection:
        connection.execute(sa.update(passes).values(alarm="second"))
    known = health.all_of(database, ListName.VACANCIES, ToldClock().now())["acme"]
    assert (known.error, known.alarm) == ("second", "second")


def test_a_rolled_back_first_write_can_be_repeated(database: Database):
    state.load(database, ListName.VACANCIES, "acme")
    lease = Lease(database, ListName.VACANCIES, "acme", None)
    with pytest.raises(ZeroDivisionError), lease.write():
        raise ZeroDivisionError
    with lease.write() as connection:
        connection.execute(sa.update(passes).values(error="at last"))
    assert health.all_of(database, ListName.VACANCIES, ToldClock().now())["acme"].error == "at last"
