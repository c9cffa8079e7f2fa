"""The outbox's handler: a submission → §4.8, exactly its body and nothing more."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from portal.applications.accept import KIND
from portal.applications.arrival import arrived
from portal.applications.tables import submissions
from portal.clock import Clock
from portal.contract.bodies import LocationBody, Submission
from portal.db import Database
from portal.errors import PortalError
from portal.letters import queue as letters
from portal.outbox import queue
from portal.outbox.states import State
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant
from portal.upstream.client import Upstream


class TenantAway(PortalError):
    """The tenant's file is gone or broken: delivery waits for it."""

    transient = True


class TooLateInTheLease(PortalError):
    """Asking whether it had arrived took so long that sending could outlast the lease."""

    transient = True


class SubmissionHandler:
    """Delivers submissions; `upstream` gives the client of a tenant's service.

    spare: seconds of the lease beyond one exchange's deadline; sending starts only within them.
    """

    def __init__(
        self,
        db: Database,
        tenants: Tenants,
        upstream: Callable[[Tenant], Upstream],
        clock: Clock,
        *,
        spare: float = 120,
    ) -> None:
        self._spare = spare
        self._db = db
        self._tenants = tenants
        self._upstream = upstream
        self._clock = clock

    def deliver(self, subject: str, *, maybe_arrived: bool) -> None:
        """One attempt at §4.8; raises UpstreamError, TenantAway or TooLateInTheLease."""
        started = self._clock.monotonic()
        with self._db.read() as connection:
            row = connection.execute(sa.select(submissions).where(submissions.c.reference == subject)).one()
            entry = queue.find(connection, KIND, subject)
        tenant = self._tenants.get(row.tenant)
        if tenant is None:
            raise TenantAway(f"tenant {row.tenant} has no usable file")
        service = self._upstream(tenant)
        if maybe_arrived and arrived(self._db, service, tenant, row, attempts=entry.attempts if entry else 0):
            return
        if self._clock.monotonic() - started > self._spare:
            raise TooLateInTheLease("the lease would end before the request does")
        service.submit(row.posting_id, _body(row), reference=subject)

    def settled(self, connection: sa.Connection, subject: str, state: State) -> None:
        """Note when it was delivered: purging counts from there. When it is dead, applicant and operator are told."""
        now = self._clock.now()
        if state is State.DELIVERED:
            connection.execute(submissions.update().where(submissions.c.reference == subject).values(delivered_at=now))
        elif state is State.DEAD:
            tell_of_the_dead(connection, self._tenants, subject, now)


def tell_of_the_dead(
    connection: sa.Connection, tenants: Tenants, reference: str, now: datetime, *, template: str = "refused"
) -> None:
    """Letters about a submission that will not be delivered: to its applicant, in `template`, and to the operator."""
    row = connection.execute(sa.select(submissions).where(submissions.c.reference == reference)).one()
    letters.send(
        connection,
        tenant=row.tenant,
        template=template,
        locale=row.locale,
        recipient=row.email,
        facts={"title": row.posting_title, "reference": reference},
        now=now,
    )
    tenant = tenants.get(row.tenant)
    if tenant and tenant.mail.operator:
        letters.tell_operator(
            connection,
            tenant=row.tenant,
            operator=tenant.mail.operator,
            locale=tenant.site.locales[0],
            reference=reference,
            now=now,
        )


def _body(row: sa.Row[Any]) -> Submission:
    said = row._mapping
    given = {name: said[name] for name in ("city", "region", "postal_code", "country") if said[name]}
    return Submission(
        network_url=said["network_url"],
        first_name=said["first_name"],
        last_name=said["last_name"],
        cv_attachment_id=said["attachment_key"],
        email=said["email"],
        phone_number=said["phone_number"],
        location=LocationBody(type="primary_home", **given),
    )
