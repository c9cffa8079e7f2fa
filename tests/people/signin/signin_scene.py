"""The signin package with a database, without pages: what a browser's token and a typed code can do."""

import re
from dataclasses import dataclass, field
from typing import Any

from portal.background.outbox import worker
from portal.background.outbox.retry_policy import Policy
from portal.people.signin import codes, sessions
from portal.people.signin.codes import Purpose
from portal.people.signin.deliver import CodeHandler
from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import Database
from tests.told_clock import ToldClock

ADA = "ada@people.example"
TTL = 600


@dataclass(frozen=True)
class QueuedMail:
    """A queued email. given: its facts."""

    given: dict[str, Any]
    subject: str = "Your code"


@dataclass
class RecordedMails:
    """Replaces the mail server: records emails and recipients."""

    sent: list[dict[str, Any]] = field(default_factory=list)

    def compose(self, **mail: Any) -> QueuedMail:
        return QueuedMail(mail)

    def send(self, mail: QueuedMail) -> None:
        self.sent.append(mail.given)


@dataclass
class SignInScene:
    db: Database
    clock: ToldClock = field(default_factory=ToldClock)
    seal: Seal = field(default_factory=lambda: Seal("a secret for tests, 32 characters"))
    mails: RecordedMails = field(default_factory=RecordedMails)

    def ask(
        self, token: str, email: str = ADA, *, tenant: str = "acme", deliver: bool = True, network: str = "here"
    ) -> str | None:
        """Request a code; return the code in the email."""
        with self.db.write() as connection:
            codes.request_code(
                connection,
                self.seal,
                tenant=tenant,
                purpose=Purpose.SIGN_IN,
                holder=codes.holder_of(self.seal, token),
                email=email,
                locale="en",
                ttl=TTL,
                now=self.clock.now(),
                network=network,
            )
        return self.deliver() if deliver else None

    def deliver(self) -> str | None:
        handler = CodeHandler(
            self.db, self.seal, self.mails, self.clock, is_known_address=lambda _, email: email == ADA, ttl=TTL
        )
        before = len(self.mails.sent)
        while worker.step(self.db, {codes.KIND: handler}, Policy(), self.clock):
            pass
        fresh = [one["facts"].get("code") for one in self.mails.sent[before:]]
        assert all(code is None or re.fullmatch(r"\d{8}", code) for code in fresh)
        return fresh[-1] if fresh else None

    def enter(self, token: str, code: str | None, *, tenant: str = "acme", network: str = "here") -> str | None:
        """Enter a code; return the session's token if the code is correct."""
        holder = codes.holder_of(self.seal, token)
        return sessions.sign_in(
            self.db, self.seal, tenant=tenant, holder=holder, typed=code or "", clock=self.clock, network=network
        )

    def session(self, token: str, *, tenant: str = "acme", ttl: float = 1_800) -> sessions.Session | None:
        return sessions.find(self.db, self.seal, tenant=tenant, token=token, ttl=ttl, clock=self.clock)
