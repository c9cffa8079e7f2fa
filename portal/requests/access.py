"""All that the portal holds about a person, for their own eyes (access, Article 15 of the GDPR)."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime

from portal.alerts import subscribing as alerts
from portal.alerts.subscribing import Alert
from portal.candidates import history, index
from portal.candidates.history import Event
from portal.db import Database
from portal.deliveries import person
from portal.deliveries.kinds import Kinds
from portal.deliveries.person import KeptDelivery
from portal.letters import queue as letters
from portal.letters.queue import WaitingLetter
from portal.requests import owed
from portal.requests.owed import OwedRequest
from portal.sealing import Seal
from portal.signin import sessions
from portal.signin.sessions import Access, Session


@dataclass(frozen=True, slots=True)
class QueuedLetter:
    """A letter to them that could not be sent yet; from then on it is forgotten. kind: its template's name."""

    kind: str
    at: datetime
    subject: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Everything:
    """indexed: how many records of the service the portal can find by this address; of each it holds hashes alone.

    deliveries: by kind, under the kind's name.
    """

    email: str = field(repr=False)
    indexed: int
    deliveries: dict[str, list[KeptDelivery]]
    access: list[Access]
    events: list[Event]
    requests: list[OwedRequest]
    letters: list[QueuedLetter]
    alerts: list[Alert]

    def as_json(self, kinds: Kinds) -> dict[str, object]:
        """The same for machines; times in ISO 8601."""
        return {
            "email": self.email,
            "recordsFound": self.indexed,
            **{
                kind.plural: [_as_json(one, public=kind.about_is_public) for one in self.deliveries[name]]
                for name, kind in kinds.items()
            },
            "signIns": [
                {"kind": one.kind, "at": _iso(one.at), "lastUsedAt": _iso(one.last_used_at)} for one in self.access
            ],
            "history": [
                {"what": one.what.value, "at": _iso(one.at), "reference": one.reference} for one in self.events
            ],
            "requests": [dict(one.as_json()) for one in self.requests],
            "letters": [{"kind": one.kind, "at": _iso(one.at), "subject": one.subject} for one in self.letters],
            "alerts": [
                {"search": one.search.words, "every": one.every.value, "askedAt": _iso(one.asked_at)}
                | {"confirmedAt": _iso(one.confirmed_at), "endsAt": _iso(one.ends_at)}
                for one in self.alerts
            ],
        }


def everything(
    db: Database,
    seal: Seal,
    kinds: Kinds,
    *,
    session: Session,
    keys: Collection[str],
    subject_of: Callable[[WaitingLetter], str],
) -> Everything:
    """Read it all, for the address that this session has proven.

    keys: of the session's record, under every secret key. subject_of: a letter's subject, in its own words.
    """
    tenant, email = session.tenant, session.email
    with db.read() as connection:
        waiting = letters.waiting(connection, seal, tenant=tenant, recipient=email)
        subscribed = alerts.of_person(connection, seal, tenant=tenant, email=email)
    kept = person.kept_of(db, seal, kinds, tenant=tenant, email=email)
    return Everything(
        email=email,
        indexed=len(index.with_address(db, seal, tenant, email)),
        deliveries={name: [one for one in kept if one.kind == name] for name in kinds},
        access=sessions.of_person(db, seal, tenant=tenant, email=email),
        events=history.lately(db, tenant=tenant, keys=keys),
        requests=owed.of_person(db, seal, tenant=tenant, email=email),
        letters=[QueuedLetter(one.template, one.queued_at, subject_of(one)) for one in waiting],
        alerts=subscribed,
    )


def _as_json(one: KeptDelivery, *, public: bool) -> dict[str, object]:
    about = {"postingId": one.about, "title": one.title} if public else {}
    return {
        "reference": one.reference,
        **about,
        "acceptedAt": _iso(one.accepted_at),
        "deliveredAt": _iso(one.delivered_at),
        "erasedAt": _iso(one.erased_at),
        "data": dict(one.said),
        "cv": {"name": one.file_name, "bytes": one.file_size} if one.file_name else None,
        "consent": one.consent.as_json() if one.consent else None,
        "cameFrom": dict(one.sources),
    }


def _iso(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
