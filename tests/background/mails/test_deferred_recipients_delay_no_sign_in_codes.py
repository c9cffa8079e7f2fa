"""Forty recipients that the mail server defers, or never responds for, and a person who waits for a code.

The portal's clock stands still, so any pause never ends: emails that arrive were not delayed by one.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from portal.background.mails import queue as mail_queue
from portal.background.outbox import health
from portal.background.outbox.concurrency import AT_ONCE
from portal.background.outbox.states import OutboxState
from portal.people.signin import codes
from portal.people.signin.codes import Purpose
from tests.delivery.scene import Scene, scene
from tests.parts.smtp import HANGS, SmtpServer, running_smtp

GREYLISTED = "450 4.7.1 greylisted, come back"
FORTY = 40


@contextmanager
def before_a_relay(folder: Path, url: str) -> Iterator[tuple[Scene, SmtpServer]]:
    with running_smtp() as smtp, scene(folder, url, mail=smtp.address) as here:
        yield here, smtp
        smtp.lets_go = True


@contextmanager
def working(here: Scene, smtp: SmtpServer) -> Iterator[None]:
    """Run a worker like `portal worker`."""
    stop = threading.Event()
    running = threading.Thread(target=here.work.run, args=(stop,), kwargs={"threads": 16})
    running.start()
    try:
        yield
    finally:
        smtp.lets_go = True
        stop.set()
        running.join()


def queue_forty(here: Scene, *tenants: str) -> None:
    with here.parts.database.write() as connection:
        for tenant in tenants:
            for number in range(FORTY):
                mail_queue.send(
                    connection,
                    here.parts.seal,
                    tenant=tenant,
                    template="receipt",
                    locale="en",
                    recipient=f"later{number}@far.example",
                    facts={"title": "Welder", "reference": "R", "when": here.clock.now().isoformat(), "again": None},
                    now=here.clock.now(),
                )


def ask_for_a_code(here: Scene, email: str, *, tenant: str = "acme") -> None:
    with here.parts.database.write() as connection:
        codes.request_code(
            connection,
            here.parts.seal,
            tenant=tenant,
            purpose=Purpose.ADDRESS,
            holder="h" * 64,
            email=email,
            locale="en",
            ttl=600,
            now=here.clock.now(),
        )


def has(smtp: SmtpServer, email: str) -> bool:
    return any(email in to for _, to in smtp.envelopes)


def emails_in(here: Scene, state: OutboxState) -> int:
    return health.counts(here.parts.database, mail_queue.KIND)[state]


@pytest.mark.parametrize("of", [("globex",), ("acme", "globex")], ids="+".join)
def test_a_code_is_sent_however_many_emails_are_deferred(portal_url: str, tmp_path: Path, of: tuple[str, ...]):
    with before_a_relay(tmp_path / "scene", portal_url) as (here, smtp):
        smtp.answer_to = lambda address: GREYLISTED if address.startswith("later") else None
        queue_forty(here, *of)
        with working(here, smtp):
            here.until(lambda: emails_in(here, OutboxState.RETRY) >= FORTY // 2, "half of them are put off")
            ask_for_a_code(here, "ana@near.example")
            here.until(lambda: has(smtp, "ana@near.example"), "the code is there")
            here.until(lambda: emails_in(here, OutboxState.RETRY) == FORTY * len(of), "each was tried once")
        assert health.open_breakers(here.parts.database) == {}
        assert health.pauses_left(here.parts.database, here.clock.now()) == {}


def test_forty_deferred_codes_delay_no_other(portal_url: str, tmp_path: Path):
    with before_a_relay(tmp_path / "scene", portal_url) as (here, smtp):
        smtp.answer_to = lambda address: GREYLISTED if address.startswith("later") else None
        for number in range(FORTY):
            ask_for_a_code(here, f"later{number}@far.example")
        ask_for_a_code(here, "ana@near.example")
        with working(here, smtp):
            here.until(lambda: has(smtp, "ana@near.example"), "the code is there")


def test_a_hanging_mail_server_blocks_few_threads_and_no_codes_or_applications(portal_url: str, tmp_path: Path):
    with before_a_relay(tmp_path / "scene", portal_url) as (here, smtp):
        smtp.answer_to = lambda address: HANGS if address.startswith("later") else None
        queue_forty(here, "acme")
        with working(here, smtp):
            here.until(lambda: smtp.hanging == AT_ONCE, "as many hang as may")
            ask_for_a_code(here, "ana@near.example")
            reference = here.apply("eve", tenant="globex")
            here.until(lambda: has(smtp, "ana@near.example"), "the code is there")
            here.until(lambda: has(smtp, "eve@people.example"), "another company's receipt is there")
            here.until(lambda: here.globex.counts() == {reference: 1}, "the application is there")
        assert smtp.most_hanging == AT_ONCE


def test_an_unavailable_mail_server_is_paused_for_all_tenants(portal_url: str, tmp_path: Path):
    with before_a_relay(tmp_path / "scene", portal_url) as (here, smtp):
        smtp.answer_to = lambda _: "421 4.3.2 closing"
        queue_forty(here, "acme", "globex")
        with working(here, smtp):
            here.until(
                lambda: mail_queue.LANE in health.pauses_left(here.parts.database, here.clock.now()), "mail rests"
            )
        assert emails_in(here, OutboxState.RETRY) < FORTY
