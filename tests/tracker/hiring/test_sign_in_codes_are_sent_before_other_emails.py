"""Sign-in codes are sent while bulk emails or hanging mail servers keep other emails waiting."""

import threading
import time
from collections.abc import Iterator
from dataclasses import replace

import pytest

from portal.adapters.mail.message import Message
from portal.background.mails import queue
from portal.people.signin import codes
from portal.platform.clock import SystemClock
from tests.tracker.hiring.site import OWNER, HiringSite, Outbox


class Hanging(Outbox):
    """A mail server that accepts emails to colleagues, and blocks all others until it is released."""

    def __init__(self) -> None:
        super().__init__()
        self.may = threading.Event()

    def send(self, message: Message) -> None:
        if not message.to.endswith("@acme.example"):
            self.may.wait(10)
        super().send(message)


@pytest.fixture
def server(hiring: HiringSite) -> Iterator[Hanging]:
    """Yield the mail server of the service, with its threads running."""
    made, stop = Hanging(), threading.Event()
    services = replace(hiring.services, clock=SystemClock())
    type(hiring.mails)(services, made).start(stop)
    yield made
    made.may.set()
    stop.set()


def _sent(server: Hanging, to: str, within: float) -> bool:
    ends = time.monotonic() + within
    while not server.to(to) and time.monotonic() < ends:
        time.sleep(0.02)
    return bool(server.to(to))


def test_a_code_is_sent_while_other_emails_hang(hiring: HiringSite, server: Hanging):
    services, now = hiring.services, SystemClock().now()
    with services.database.write() as connection:
        for number in range(30):
            queue.send(
                connection,
                services.seal,
                tenant="acme",
                template="reply",
                locale="en",
                recipient=f"{number}@people.example",
                facts={"subject": "a", "body": ["b"], "reply_to": OWNER},
                now=now,
            )
    time.sleep(0.7)  # so that they are due first
    with services.database.write() as connection:
        codes.request_code(
            connection,
            services.seal,
            tenant="acme",
            purpose=codes.Purpose.SIGN_IN,
            holder=codes.holder_of(services.seal, "a-browser"),
            email=OWNER,
            locale="en",
            ttl=600,
            now=now,
        )
    assert _sent(server, OWNER, 5)
    assert not server.to("0@people.example")
    server.may.set()
    assert _sent(server, "29@people.example", 10)
