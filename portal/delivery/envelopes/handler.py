"""The outbox's handler of every kind: open the envelope, run the kind's check, send, and act on the final state."""

import logging
from collections.abc import Callable, Sequence
from typing import Any

import sqlalchemy as sa

from portal.adapters.tracker_client.client import TrackerClient
from portal.adapters.tracker_client.deadline import within
from portal.adapters.tracker_client.errors import MayHaveArrived, ProxyAnswered, TemporarilyUnavailable, TrackerError
from portal.background.mails import queue as mail_queue
from portal.background.outbox.claim import Claim
from portal.background.outbox.states import UNCONFIRMED, UNREADABLE, OutboxState, Result
from portal.delivery.envelopes.kinds import CheckContext, Contents, Delivery, DeliveryCheck, Kinds, opened
from portal.delivery.envelopes.tables import ERASED, deliveries
from portal.delivery.uploads import claims
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal
from portal.platform.database import prepared
from portal.platform.database.db import Database
from portal.platform.errors import AttachmentMissing, Infected, NotSentAgainYet, PortalError
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant

log = logging.getLogger(__name__)

_OF_THE_FILE = frozenset({Infected.__name__, AttachmentMissing.__name__})


class TooLateInTheLease(PortalError):
    """The check took so long that sending could outlast the lease."""

    transient = True


class DeliveryHandler:
    """The outbox handler for all kinds of delivery. upstream: returns the client of a tenant's service.

    max_check_seconds: the part of the lease that remains beyond one exchange with its wait to begin; the check must
    end, and sending start, within this time.
    """

    def __init__(
        self,
        db: Database,
        seal: Seal,
        kinds: Kinds,
        tenants: Tenants,
        upstream: Callable[[Tenant], TrackerClient],
        clock: Clock,
        *,
        max_check_seconds: float = 120,
    ) -> None:
        self._db = db
        self._seal = seal
        self._kinds = kinds
        self._tenants = tenants
        self._upstream = upstream
        self._clock = clock
        self._max_check_seconds = max_check_seconds

    def deliver(self, claimed: Claim) -> Result:
        """Make one attempt; raises TrackerError, TenantMissing or TooLateInTheLease."""
        started = self._clock.monotonic()
        kind = self._kinds[claimed.kind]
        with prepared.autocommit_reads(self._db) as connection:
            one = opened(connection, self._seal, kind, claimed.subject)
        if one is None:
            return Result.OVERTAKEN  # the delivery was erased in the meantime
        tenant = self._tenants.require(claimed.tenant)
        context = CheckContext(self._db, self._seal, self._upstream(tenant), tenant, claimed, self._clock.now())
        answer = self._ask(one, context)
        if isinstance(answer, Delivery):
            one, answer = answer, DeliveryCheck.SEND
        if answer is not DeliveryCheck.SEND:
            return Result.DELIVERED if answer is DeliveryCheck.ARRIVED else Result.OVERTAKEN
        if claimed.resend_at is not None and self._clock.now() < claimed.resend_at:
            raise NotSentAgainYet(claimed.resend_at)
        if self._clock.monotonic() - started > self._max_check_seconds:
            raise TooLateInTheLease("the lease would end before the request does")
        kind.send(context.service, one)
        return Result.DELIVERED

    def settled(
        self, connection: sa.Connection, subjects: Sequence[str], state: OutboxState, outcome: str | None
    ) -> None:
        """Carry out the consequences of a final state: emails, erasure, and the kind's own. subjects: of one kind."""
        if state not in {OutboxState.DELIVERED, OutboxState.DISCARDED, OutboxState.DEAD}:
            return
        theirs = deliveries.c.reference.in_(subjects)
        rows = connection.execute(sa.select(deliveries).where(theirs)).all()
        now = self._clock.now()
        if outcome == UNCONFIRMED:  # nobody has proven access to the address
            connection.execute(deliveries.update().where(theirs).values(**ERASED, erased_at=now))
        if state is OutboxState.DELIVERED and rows:
            forgotten = {**ERASED, "erased_at": now} if self._kinds[rows[0].kind].forgotten_on_delivery else {}
            connection.execute(deliveries.update().where(theirs).values(delivered_at=now, **forgotten))
            if forgotten:
                claims.delete_rows(connection, list(subjects))
        for row in rows:
            if state is OutboxState.DELIVERED:
                self._kinds[row.kind].on_delivered(connection, self._seal, row)
            elif state is OutboxState.DISCARDED:
                claims.orphan_file(connection, row.reference)
                self._write(connection, row, self._kinds[row.kind].mail_templates.overtaken)
            elif state is OutboxState.DEAD:
                says = self._kinds[row.kind].mail_templates
                unsafe = says.unsafe if outcome in _OF_THE_FILE else None
                if outcome != UNREADABLE:  # otherwise the candidate's address cannot be decrypted
                    self._write(connection, row, unsafe or says.refused)
                self._tell_operator(connection, row)
            self._kinds[row.kind].on_settled(connection, row, state, outcome, now)

    def _ask(self, one: Delivery[Any], context: CheckContext) -> DeliveryCheck | Delivery[Any]:
        kind = self._kinds[one.kind]
        try:
            with within(self._clock, self._max_check_seconds):
                if context.claimed.maybe_arrived and context.claimed.attempts.refusals:
                    _see_the_service(context.service)
                return kind.check_before_send(one, context)
        except ProxyAnswered as page:
            page.nothing_sent = True
            raise
        except MayHaveArrived as cut:
            # Only the check's request may have arrived: the delivery was not sent.
            raise TemporarilyUnavailable(
                f"the service could not be asked: {cut}", operation=cut.operation, status=cut.status
            ) from cut

    def _write(self, connection: sa.Connection, row: sa.Row[Any], template: str | None) -> None:
        if template is None or row.sealed is None:
            return
        mail_queue.send(
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
        mail_queue.notify_operator(
            connection,
            self._seal,
            tenant=row.tenant,
            operator=tenant.mail.operator,
            locale=tenant.site.locales[0],
            reference=row.reference,
            now=self._clock.now(),
            template=self._kinds[row.kind].mail_templates.dead,
        )


def _see_the_service(service: TrackerClient) -> None:
    """Request the vacancies, to find out whether the service itself responds again instead of a proxy.

    While a proxy responds, the single resend must not be used up. Raises ProxyAnswered, or a transient TrackerError.
    Any other response, including the rejection of a key, comes from the service.
    """
    try:
        service.vacancies(limit=1)
    except TrackerError as error:
        if error.transient or isinstance(error, ProxyAnswered):
            raise
