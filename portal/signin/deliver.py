"""The outbox's handler of code requests. The code exists in clear in this function and in the mailbox only."""

import secrets
from collections.abc import Callable, Sequence
from functools import partial

import sqlalchemy as sa

from portal.clock import Clock
from portal.db import Database
from portal.letters.deliver import Post
from portal.outbox.claim import Claim
from portal.outbox.states import Result, State
from portal.sealing import Seal
from portal.signin import codes
from portal.signin.codes import Purpose
from portal.signin.lone_code import alone
from portal.signin.tables import code_requests


class CodeHandler:
    """known: (tenant, address) → whether the tenant has a candidate of that address."""

    def __init__(
        self,
        db: Database,
        seal: Seal,
        post: Post,
        clock: Clock,
        *,
        known: Callable[[str, str], bool],
        ttl: float,
    ) -> None:
        self._db = db
        self._seal = seal
        self._post = post
        self._clock = clock
        self._known = known
        self._ttl = ttl

    def deliver(self, claimed: Claim) -> Result:
        """One letter; raises MailError. A request that came of age meanwhile gets none; another try is another code."""
        query = sa.select(code_requests).where(code_requests.c.id == int(claimed.subject))
        with self._db.read() as connection:
            row = connection.execute(query).one_or_none()
        if row is None or row.used_at is not None or row.expires_at <= self._clock.now():
            return Result.OVERTAKEN
        email = self._seal.open(row.sealed_address)
        reference = secrets.token_hex(16)
        if row.purpose == Purpose.SIGN_IN and not self._known(row.tenant, email):
            self._post.send(
                self._post.written(
                    tenant=row.tenant,
                    template="no_record",
                    locale=row.locale,
                    recipient=email,
                    facts={},
                    reference=reference,
                    reword=partial(alone, code=None),
                )
            )
            return Result.DELIVERED
        code = codes.make(self._db, self._seal, row.id, now=self._clock.now(), ttl=self._ttl)
        if code is None:
            return Result.OVERTAKEN
        self._post.send(
            self._post.written(
                tenant=row.tenant,
                template="code" if row.purpose == Purpose.SIGN_IN else "address_code",
                locale=row.locale,
                recipient=email,
                facts={"code": code, "minutes": str(max(1, round(self._ttl / 60)))},
                reference=reference,
                reword=partial(alone, code=code),
            )
        )
        return Result.DELIVERED

    def settled(self, connection: sa.Connection, subjects: Sequence[str], state: State, outcome: str | None) -> None:
        """Nothing follows: the request ends by itself."""
