"""A thousand failures within an hour add a thousand small rows to a digest, instead of encrypting a growing list."""

from datetime import timedelta

import sqlalchemy as sa

from portal.background.mails import queue
from portal.background.mails.tables import letters
from portal.background.outbox.tables import outbox
from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import Database
from tests.told_clock import ToldClock

SECRET = "a secret for tests, 32 characters"


class CountingSeal(Seal):
    """A seal that counts the characters that it seals and opens."""

    characters = 0

    def seal(self, text: str, **use: str) -> str:
        self.characters += len(text)
        return super().seal(text, **use)

    def open(self, sealed: str, **use: str) -> str:
        text = super().open(sealed, **use)
        self.characters += len(text)
        return text


def characters_for(database: Database, count: int) -> int:
    seal, clock = CountingSeal(SECRET), ToldClock()
    for number in range(count):
        with database.write() as connection:
            queue.notify_operator(
                connection,
                seal,
                tenant=f"tenant-{count}",
                operator="jobs@acme.example",
                locale="en",
                reference=f"REFERENCE{number:011}",
                now=clock.now(),
                template="dead",
            )
    return seal.characters


def test_four_times_as_many_failures_cost_four_times_as_much(database: Database):
    few, many = characters_for(database, 25), characters_for(database, 100)
    assert 3.9 < many / few < 4.1


def test_failures_are_sent_in_one_email_an_hour(database: Database):
    characters_for(database, 50)
    with database.read() as connection:
        assert connection.scalar(sa.select(sa.func.count()).select_from(outbox)) == 1
        assert connection.scalar(sa.select(sa.func.count()).select_from(letters)) == 50
        (head,) = connection.execute(sa.select(letters).where(letters.c.gathering.is_(None))).all()
    assert head.due_at - head.created_at < timedelta(hours=1)
