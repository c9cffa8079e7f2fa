"""Changes of records as a kind of delivery: §4.10, and never over a change that somebody else made meanwhile.

Before each attempt the record is read once more (§4.2). If it is neither what the change was based on nor what the
change makes of it, nothing is sent: the change is overtaken, and its owner is told and shown both. Else the full
desired state goes out, so that sending it twice does no harm.
"""

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from portal.candidates import history
from portal.candidates.history import What
from portal.candidates.index import Indexed
from portal.deliveries.kinds import Asking, Contents, Delivery, Kind, Letters, OrderedBy, Question
from portal.errors import NotThere
from portal.outbox.states import State
from portal.records import moving_on
from portal.records.current import fetch
from portal.records.model import fingerprint, record_of
from portal.records.payload import ChangePayload
from portal.sealing import Seal
from portal.upstream.client import Upstream

_HISTORY = {State.DELIVERED: What.DELIVERED, State.DISCARDED: What.OVERTAKEN, State.DEAD: What.REFUSED}


class ChangeKind(Kind[ChangePayload]):
    """about: the candidate's key."""

    name = "record"
    label = "record change"
    plural = "changes"
    letters = Letters(refused="change_refused", overtaken="change_overtaken", dead="change_dead")
    ordered_by = OrderedBy.ABOUT
    supersedes = True
    forgotten_on_delivery = True
    about_is_public = False
    payload = ChangePayload

    def question(self, one: Delivery[ChangePayload], asking: Asking) -> Question:
        """Whether the record is still what the change was based on; NotThere where the service has it no more."""
        said = one.payload
        now = fetch(asking.service, Indexed(one.about, said.candidate_id, said.based_at))
        if now is None:
            raise NotThere("the candidate is no longer at the service", operation="4.10", status=404)
        # A list that the service had none of is still none to us, whichever way it is written.
        known, wanted = fingerprint(asking.seal, now.record), fingerprint(asking.seal, record_of(said.update))
        return Question.SEND if said.based_on in known or wanted[0] in known else Question.OVERTAKEN

    def send(self, service: Upstream, one: Delivery[ChangePayload]) -> None:
        """§4.10."""
        body = one.payload.update.model_copy(update={"latest_cv_attachment_id": one.attachment_id})
        service.update_candidate(one.payload.candidate_id, body, reference=one.reference)

    def arrived(self, connection: sa.Connection, seal: Seal, row: sa.Row[Any]) -> None:
        """What is tied to an address that left the record goes on with its person."""
        if row.sealed is not None:
            moving_on.follow(
                connection, seal, tenant=row.tenant, key=row.about, said=Contents.opened(seal, self, row.sealed)
            )

    def noted(
        self,
        connection: sa.Connection,
        row: sa.Row[Any],
        state: State,
        outcome: str | None,  # noqa: ARG002  the history does not say why
        now: datetime,
    ) -> None:
        """Into the record's history, for its owner."""
        history.note(
            connection,
            tenant=row.tenant,
            candidate=row.about,
            address=row.person,
            what=_HISTORY[state],
            now=now,
            reference=row.reference,
        )


CHANGE = ChangeKind()
