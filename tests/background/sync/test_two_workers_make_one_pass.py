"""If two workers find the same list due at the same time, only one of them makes the pass."""

import threading
from pathlib import Path

import pytest

from portal.background.sync.tables import ListName
from portal.worker import WorkerThreads
from tests.background.sync.companies import portal


@pytest.mark.parametrize("name", list(ListName))
def test_two_workers_make_one_request_per_interval(tmp_path: Path, portal_url: str, name: ListName):
    with portal(tmp_path, portal_url, "acme") as (made, services):
        both = [made.work, WorkerThreads(made.parts)]
        for _ in range(3):
            before = services.asked.count(("acme", f"/{name}"))
            at_once(both, name)
            assert services.asked.count(("acme", f"/{name}")) == before + 1
            made.parts.clock.pass_time(60)


@pytest.mark.parametrize("name", list(ListName))
def test_a_due_list_is_checked_again_before_its_pass(tmp_path: Path, portal_url: str, name: ListName):
    """The second worker found the list due before the first had finished, and continues afterwards."""
    from portal.background.sync import state
    from portal.background.sync.schedule import attempt, due

    with portal(tmp_path, portal_url, "acme") as (made, services):
        parts, work = made.parts, made.work
        synced_list = work._vacancies if name is ListName.VACANCIES else work._candidates
        now = parts.clock.now()
        (late,) = due(state.all_of(parts.database), [synced_list], parts.tenants.all(), now, work._intervals)
        at_once([work], name)
        assert not attempt(late, work._intervals)
        assert services.asked == [("acme", f"/{name}")]


def at_once(workers: list[WorkerThreads], name: ListName) -> None:
    ready = threading.Barrier(len(workers))

    def look(work: WorkerThreads) -> None:
        ready.wait(30)
        (work.mirror_what_is_due if name is ListName.VACANCIES else work.index_what_is_due)()

    threads = [threading.Thread(target=look, args=(work,)) for work in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
