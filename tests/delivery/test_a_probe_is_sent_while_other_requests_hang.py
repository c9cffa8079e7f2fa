"""A worker whose requests to a service hang still probes the service, and notices its recovery."""

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.delivery.scene import Scene
from tests.delivery.service import Deed, Posted, refused, taken
from tests.journeys.server import command
from tests.parts.misbehaving import answer
from tests.parts.process import running

HANGING = 3
"""The fourth of those that a worker sends to a company at once is refused, and tells of the trouble."""
_SECONDS = 60


@contextmanager
def a_worker(scene: Scene) -> Iterator[None]:
    """Run a worker process as an operator starts it."""
    settings = scene.parts.settings
    env = {
        **os.environ,
        "PORTAL_SECRET_KEY": settings.secret_key,
        "PORTAL_DATABASE_URL": settings.database_url,
        "PORTAL_TENANTS": str(settings.tenants),
        "PORTAL_ATTACHMENTS": settings.attachments,
        "PORTAL_MAIL": settings.mail,
        "PORTAL_DELIVERY_DEADLINE": str(_SECONDS),
    }
    with running(command("worker"), log=scene.folder / "worker.log", ready=lambda: True, env=env):
        yield


def test_the_first_probe_is_sent_after_seconds_and_deliveries_resume(scene: Scene):
    gate, turn, lock = threading.Event(), iter(range(1_000)), threading.Lock()
    refused_at: list[float] = []

    def mood(_one: Posted) -> Deed:
        with lock:
            number = next(turn)
            if number == HANGING:
                refused_at.append(time.monotonic())
        if number < HANGING:
            gate.wait(3 * _SECONDS)
        return refused(answer(status=503)) if number == HANGING else taken()

    scene.acme.mood = mood
    for number in range(HANGING):
        scene.apply(f"h{number}")
    with a_worker(scene):
        try:
            scene.until(lambda: len(scene.acme.posted) == HANGING, "the requests hang")
            later = [scene.apply(f"p{number}") for number in range(5)]
            scene.until(lambda: set(later) <= set(scene.acme.counts()), "the other applications arrived")
            # Hanging requests last until their deadline, which every delivery had to wait for before.
            assert time.monotonic() - refused_at[0] < _SECONDS * 2 / 3
        finally:
            gate.set()
