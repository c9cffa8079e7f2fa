"""`portal worker` reports its busy threads; a killed worker is missing, a stopped one is not."""

import signal
import threading
from pathlib import Path

import httpx
import pytest

from tests.delivery.running_portal import RunningPortal, running_portal
from tests.delivery.service import Deed
from tests.operations.health.figures import Figures, figure, read
from tests.parts.misbehaving import answer
from tests.schemas import PORTAL, sqlite_copy

pytestmark = pytest.mark.verify

TOKEN = "a-token-for-tests"
WORK = {"deliveries": 16, "letters": 8, "codes": 8, "pushes": 2, "webhooks": 4, "passes": 8}


def figures(at: RunningPortal) -> Figures:
    asked = httpx.get(f"{at.url}/metrics", headers={"Authorization": f"Bearer {TOKEN}"}, trust_env=False, timeout=20)
    return read(asked.text)


def of_workers(at: RunningPortal, name: str) -> list[tuple[str, float]]:
    """Return the work of each worker, and its number of threads."""
    return [(dict(labels)["work"], value) for (found, labels), value in figures(at).items() if found == name]


def start_one(at: RunningPortal, name: str) -> None:
    at.start("worker")
    at.running[name] = at.running.pop("worker")


def test_a_killed_worker_is_missing_and_a_stopped_one_is_not(tmp_path: Path):
    answers = threading.Event()
    told = {"PORTAL_METRICS_TOKEN": TOKEN, "PORTAL_DELIVERY_DEADLINE": "50", "PORTAL_DELIVERY_LEASE": "90"}
    with running_portal(tmp_path / "portal", sqlite_copy(tmp_path / "portal.db", PORTAL), **told) as at:
        at.services["acme"].mood = lambda _: Deed(
            takes=True, says=lambda connection: answers.wait(60) and answer({})(connection)
        )
        start_one(at, "first")
        at.start("serve")
        at.serving()
        at.until(lambda: httpx.get(f"{at.url}/acme/jobs/job-1", trust_env=False).is_success, "the job is shown")
        at.acknowledge(at.open_form())
        at.until(lambda: ("deliveries", 1.0) in of_workers(at, "portal_worker_busy"), "a thread is busy", seconds=40)
        assert dict(of_workers(at, "portal_worker_busy_most")) == WORK
        answers.set()
        start_one(at, "second")
        at.until(lambda: figure(figures(at), "portal_workers") == 2, "both are there", seconds=40)
        at.until(lambda: sum(dict(of_workers(at, "portal_worker_busy")).values()) == 0, "all is done", seconds=40)
        at.kill("second")
        at.until(lambda: figure(figures(at), "portal_workers_missing") == 1, "it is missed", seconds=60)
        start_one(at, "third")
        at.until(lambda: figure(figures(at), "portal_workers_missing") == 0, "it is replaced", seconds=40)
        third = at.running.pop("third")
        third.send_signal(signal.SIGTERM)
        third.wait(60)
        found = figures(at)
        assert (figure(found, "portal_workers"), figure(found, "portal_workers_missing")) == (1, 0)
