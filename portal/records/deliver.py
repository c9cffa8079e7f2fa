"""The outbox's handler: a change → §4.10, exactly its body, and never over a change that somebody else made meanwhile.

An attempt: 1. the record is read once more (§4.2), within what the lease spares; 2. if it is neither what the change
was based on nor what the change makes of it, nothing is sent: the change is overtaken, and its owner is told and shown
both; 3. else the full desired state goes out, so that sending it twice does no harm.
"""

from collections.abc import Callable

import sqlalchemy as sa

from portal.applications import uploads
from portal.candidates.index import Indexed
from portal.clock import Clock
from portal.contract.bodies import CandidateUpdate
from portal.db import Database
from portal.errors import MayHaveArrived, NotNow, NotThere, PortalError
from portal.letters import queue as letters
from portal.outbox import queue
from portal.outbox.states import State
from portal.records import history
from portal.records.change import KIND
from portal.records.current import Current, fetch
from portal.records.history import What
from portal.records.model import fingerprint, record_of
from portal.records.tables import SEALED, record_changes
from portal.sealing import Seal
from portal.tenants.folder import Tenants
from portal.tenants.model import Tenant
from portal.upstream.client import Upstream
from portal.upstream.deadline import within


class TenantAway(PortalError):
    """The tenant's file is gone or broken: delivery waits for it."""

    transient = True


class ChangeHandler:
    """Delivers changes of records; `upstream` gives the client of a tenant's service.

    spare: seconds of the lease beyond one exchange's deadline; reading takes no longer.
    """

    def __init__(
        self,
        db: Database,
        tenants: Tenants,
        upstream: Callable[[Tenant], Upstream],
        seal: Seal,
        clock: Clock,
        *,
        spare: float = 120,
    ) -> None:
        self._spare = spare
        self._db = db
        self._tenants = tenants
        self._upstream = upstream
        self._seal = seal
        self._clock = clock

    def deliver(self, subject: str, *, maybe_arrived: bool) -> None:  # noqa: ARG002  the full state may go twice
        """One attempt; raises UpstreamError or TenantAway."""
        with self._db.read() as connection:
            row = connection.execute(sa.select(record_changes).where(record_changes.c.reference == subject)).one()
        if row.sealed_body is None or row.overtaken_at is not None:
            return
        tenant = self._tenants.get(row.tenant)
        if tenant is None:
            raise TenantAway(f"tenant {row.tenant} has no usable file")
        service = self._upstream(tenant)
        body = CandidateUpdate.model_validate_json(self._seal.open(row.sealed_body))
        who = Indexed(row.candidate, self._seal.open(row.sealed_candidate), row.based_at)
        now = self._read(service, who)
        if now is None:
            raise NotThere("the candidate is no longer at the service", operation="4.10", status=404)
        # A list that the service had none of is still none to us, whichever way it is written.
        stands, wanted = fingerprint(self._seal, now.record), fingerprint(self._seal, record_of(body))
        if row.based_on not in stands and wanted[0] not in stands:
            self._overtaken(subject)
            return
        service.update_candidate(who.candidate_id, body, reference=subject)

    def settled(self, connection: sa.Connection, subject: str, state: State) -> None:
        """What was sent is forgotten. When it is dead, its owner and the operator are told; it is kept for a retry."""
        c = record_changes.c
        row = connection.execute(sa.select(record_changes).where(c.reference == subject)).one()
        if row.overtaken_at is not None:
            queue.overtaken(connection, KIND, subject)
        elif row.sealed_body is None:
            return
        elif state is State.DELIVERED:
            values = {"delivered_at": self._clock.now(), **dict.fromkeys(SEALED)}
            connection.execute(record_changes.update().where(c.reference == subject).values(**values))
            uploads.forget(connection, subject)
            self._note(connection, row, What.DELIVERED)
        elif state is State.DEAD:
            tell_of_the_refused(connection, self._tenants, self._seal, row, self._clock)
            self._note(connection, row, What.REFUSED)

    def _read(self, service: Upstream, who: Indexed) -> Current | None:
        try:
            with within(self._clock, self._spare):
                return fetch(service, who)
        except MayHaveArrived as cut:
            # Only a question may have arrived: no change was sent.
            raise NotNow(f"the record could not be read: {cut}", operation="4.2", status=cut.status) from cut

    def _overtaken(self, reference: str) -> None:
        c = record_changes.c
        with self._db.write() as connection:
            changed = connection.execute(
                record_changes.update()
                .where(c.reference == reference, c.overtaken_at.is_(None))
                .values(overtaken_at=self._clock.now())
                .returning(*c)
            ).one_or_none()
            if changed is None:
                return
            uploads.let_go(connection, reference)
            self._note(connection, changed, What.OVERTAKEN)
            letters.send(
                connection,
                tenant=changed.tenant,
                template="change_overtaken",
                locale=changed.locale,
                recipient=self._seal.open(changed.sealed_address),
                facts={"reference": reference},
                now=self._clock.now(),
            )

    def _note(self, connection: sa.Connection, row: sa.Row[tuple[object, ...]], what: What) -> None:
        said = row._mapping
        history.note(
            connection,
            tenant=said["tenant"],
            candidate=said["candidate"],
            address=said["address"],
            what=what,
            now=self._clock.now(),
            reference=said["reference"],
        )


def tell_of_the_refused(
    connection: sa.Connection, tenants: Tenants, seal: Seal, row: sa.Row[tuple[object, ...]], clock: Clock
) -> None:
    """Letters about a change that will not be delivered."""
    said = row._mapping
    tenant = tenants.get(said["tenant"])
    letters.send(
        connection,
        tenant=said["tenant"],
        template="change_refused",
        locale=said["locale"],
        recipient=seal.open(said["sealed_address"]),
        facts={"reference": said["reference"]},
        now=clock.now(),
    )
    if tenant and tenant.mail.operator:
        letters.tell_operator(
            connection,
            tenant=said["tenant"],
            operator=tenant.mail.operator,
            locale=tenant.site.locales[0],
            reference=said["reference"],
            now=clock.now(),
            template="change_dead",
        )
