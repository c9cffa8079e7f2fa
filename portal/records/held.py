"""All that the portal holds about a person, for their own eyes (access, Article 15 of the GDPR)."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from portal.applications import person
from portal.applications.person import HeldApplication
from portal.candidates import index
from portal.db import Database
from portal.letters import queue as letters
from portal.letters.queue import WaitingLetter
from portal.records import history, receipt, requests
from portal.records.history import Event
from portal.records.receipt import HeldChange
from portal.records.requests import OwedRequest
from portal.sealing import Seal
from portal.signin import sessions
from portal.signin.sessions import Held, Session

JsonValue = str | int | None | list["JsonValue"] | dict[str, "JsonValue"]


@dataclass(frozen=True, slots=True)
class HeldLetter:
    """A letter to them that could not be sent yet; from then on it is forgotten. kind: its template's name."""

    kind: str
    at: datetime
    subject: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Everything:
    """indexed: how many records of the service the portal can find by this address; of each it holds hashes alone."""

    email: str = field(repr=False)
    indexed: int
    applications: list[HeldApplication]
    changes: list[HeldChange]
    access: list[Held]
    events: list[Event]
    requests: list[OwedRequest]
    letters: list[HeldLetter]

    def as_json(self) -> dict[str, JsonValue]:
        """The same for machines; times in ISO 8601."""
        return {
            "email": self.email,
            "recordsFound": self.indexed,
            "applications": [
                {
                    "reference": one.reference,
                    "postingId": one.posting_id,
                    "title": one.title,
                    "acceptedAt": one.accepted_at.isoformat(),
                    "deliveredAt": one.delivered_at.isoformat() if one.delivered_at else None,
                    "erasedAt": one.erased_at.isoformat() if one.erased_at else None,
                    "data": dict(one.kept),
                    "cv": {"name": one.cv_name, "bytes": one.cv_size} if one.cv_name else None,
                }
                for one in self.applications
            ],
            "changes": [
                {
                    "reference": one.reference,
                    "acceptedAt": one.accepted_at.isoformat(),
                    "deliveredAt": one.delivered_at.isoformat() if one.delivered_at else None,
                    "data": json.loads(one.body) if one.body else None,
                }
                for one in self.changes
            ],
            "signIns": [
                {
                    "kind": one.kind,
                    "at": one.at.isoformat(),
                    "lastUsedAt": one.last_used_at.isoformat() if one.last_used_at else None,
                }
                for one in self.access
            ],
            "history": [
                {"what": one.what.value, "at": one.at.isoformat(), "reference": one.reference} for one in self.events
            ],
            "requests": [dict(one.as_json()) for one in self.requests],
            "letters": [{"kind": one.kind, "at": one.at.isoformat(), "subject": one.subject} for one in self.letters],
        }


def everything(
    db: Database, seal: Seal, *, session: Session, secrets: Sequence[str], subject_of: Callable[[WaitingLetter], str]
) -> Everything:
    """Read it all, for the address that this session has proven. subject_of: a letter's subject, in its own words."""
    tenant, email = session.tenant, session.email
    with db.read() as connection:
        waiting = letters.waiting(connection, tenant=tenant, recipient=email)
    return Everything(
        email=email,
        indexed=len(index.with_address(db, seal, tenant, email)),
        applications=person.held_about(db, tenant=tenant, email=email, secrets=secrets),
        changes=receipt.held_about(db, seal, tenant=tenant, email=email),
        access=sessions.held_about(db, seal, tenant=tenant, email=email),
        events=history.lately(db, tenant=tenant, candidate=session.candidate) if session.candidate else [],
        requests=requests.of_person(db, seal, tenant=tenant, email=email),
        letters=[HeldLetter(one.template, one.queued_at, subject_of(one)) for one in waiting],
    )
