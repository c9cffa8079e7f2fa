"""The outbox's handler of every kind: open the envelope, ask the kind's question, send; what follows from an end."""

import logging
from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa

from portal import straight
from portal.clock import Clock
from portal.db import Database
from portal.deliveries.kinds import Asking, Contents, Delivery, Kinds, Question, opened
from portal.deliveries.tables import ERASED, deliveries
from portal.errors import AttachmentMissing, Infected, MayHaveArrived, NotNow, NotSentAgainYet, PortalError
from portal.letters import queue as letters
from portal.outbox.claim import Claim
from portal.outbox.states import Result, State
from portal.sealing import Seal
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant
from portal.uploads import claims
from portal.upstream.client import Upstream
from portal.upstream.deadline import within

log = logging.getLogger(__name__)

_OF_THE_FILE = frozenset({Infected.__name__, AttachmentMissing.__name__})


class TooLateInTheLease(PortalError):
    """The question took so long that sending could outlast the lease."""

    transient = True


class DeliveryHandler:
    """Delivers envelopes of all kinds; `upstream` gives the client of a tenant's service.

    spare: seconds, of those that the lease has beyond one exchange's deadline and its wait to begin; asking takes no
    longer, and sending starts within them.
    """

    def __init__(
        self,
        db: Database,
        seal: Seal,
        kinds: Kinds,
        tenants: Tenants,
        upstream: Callable[[Tenant], Upstream],
        clock: Clock,
        *,
        spare: float = 120,
    ) -> None:
        self._db = db
        self._seal = seal
        self._kinds = kinds
        self._tenants = tenants
        self._upstream = upstream
        self._clock = clock
        self._spare = spare

    def deliver(self, claimed: Claim) -> Result:
        """One attempt; raises UpstreamError, TenantAway or TooLateInTheLease."""
        started = self._clock.monotonic()
        kind = self._kinds[claimed.kind]
        with straight.asking(self._db) as connection:
            one = opened(connection, self._seal, kind, claimed.subject)
        if one is None:
            return Result.OVERTAKEN  # erased meanwhile
        tenant = self._tenants.require(claimed.tenant)
        asking = Asking(self._db, self._seal, self._upstream(tenant), tenant, claimed)
        answer = self._ask(one, asking)
        if answer is not Question.SEND:
            return Result.DELIVERED if answer is Question.ARRIVED else Result.OVERTAKEN
        if claimed.resend_at is not None and self._clock.now() < claimed.resend_at:
            raise NotSentAgainYet(claimed.resend_at)
        if self._clock.monotonic() - started > self._spare:
            raise TooLateInTheLease("the lease would end before the request does")
        kind.send(asking.service, one)
        return Result.DELIVERED

    def settled(self, connection: sa.Connection, subjects: Sequence[str], state: State, outcome: str | None) -> None:
        """What follows from a final state: letters, what is forgotten, what the kind notes. subjects: of one kind."""
        if state not in {State.DELIVERED, State.DISCARDED, State.DEAD}:
            return
        theirs = deliveries.c.reference.in_(subjects)
        rows = connection.execute(sa.select(deliveries).where(theirs)).all()
        now = self._clock.now()
        if state is State.DELIVERED and rows:
            forgotten = {**ERASED, "erased_at": now} if self._kinds[rows[0].kind].forgotten_on_delivery else {}
            connection.execute(deliveries.update().where(theirs).values(delivered_at=now, **forgotten))
            if forgotten:
                claims.forget(connection, list(subjects))
        for row in rows:
            if state is State.DELIVERED:
                self._kinds[row.kind].arrived(connection, self._seal, row)
            elif state is State.DISCARDED:
                claims.let_go(connection, row.reference)
                self._write(connection, row, self._kinds[row.kind].letters.overtaken)
            elif state is State.DEAD:
                says = self._kinds[row.kind].letters
                unsafe = says.unsafe if outcome in _OF_THE_FILE else None
                self._write(connection, row, unsafe or says.refused)
                self._tell_operator(connection, row)
            self._kinds[row.kind].noted(connection, row, state, outcome, now)

    def _ask(self, one: Delivery[Any], asking: Asking) -> Question:
        kind = self._kinds[one.kind]
        try:
            with within(self._clock, self._spare):
                return kind.question(one, asking)
        except MayHaveArrived as cut:
            # Only a question may have arrived: nothing was sent.
            raise NotNow(f"the service could not be asked: {cut}", operation=cut.operation, status=cut.status) from cut

    def _write(self, connection: sa.Connection, row: sa.Row[Any], template: str | None) -> None:
        if template is None or row.sealed is None:
            return
        letters.send(
            connection,
            self._seal,
            tenant=row.tenant,
            template=template,
            locale=row.locale,
            recipient=Contents.opened(self._seal, self._kinds[row.kind], row.sealed).email,
            facts={"title": row.title, "reference": row.reference, "when": row.accepted_at.isoformat()},
            now=self._clock.now(),
            about=row.reference,
        )

    def _tell_operator(self, connection: sa.Connection, row: sa.Row[Any]) -> None:
        tenant = self._tenants.get(row.tenant)
        if tenant is None or tenant.mail.operator is None:
            return
        letters.tell_operator(
            connection,
            self._seal,
            tenant=row.tenant,
            operator=tenant.mail.operator,
            locale=tenant.site.locales[0],
            reference=row.reference,
            now=self._clock.now(),
            template=self._kinds[row.kind].letters.dead,
        )
