"""Everything that the portal stores about a person, for that person (access, Article 15 of the GDPR)."""

from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from datetime import datetime

from portal.background.mails import queue as mail_queue
from portal.background.mails.queue import WaitingEmail
from portal.delivery.envelopes import person
from portal.delivery.envelopes.kinds import Kinds
from portal.delivery.envelopes.person import StoredDelivery
from portal.delivery.privacy_requests import requests as privacy_requests
from portal.delivery.privacy_requests.requests import OpenRequest
from portal.jobs.alerts import subscribing as alerts
from portal.jobs.alerts.subscribing import Alert
from portal.people.index import history, index
from portal.people.index.history import HistoryEvent
from portal.people.signin import sessions
from portal.people.signin.sessions import Session, SignInRecord
from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import Database


@dataclass(frozen=True, slots=True)
class QueuedEmail:
    """An email to them that is not sent yet; once sent, it is erased. kind: its template's name."""

    kind: str
    at: datetime
    subject: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Everything:
    """Everything stored. indexed: how many of the service's records have this address; only hashes of each are stored.

    deliveries: by kind, under the kind's name.
    """

    email: str = field(repr=False)
    indexed: int
    deliveries: dict[str, list[StoredDelivery]]
    access: list[SignInRecord]
    events: list[HistoryEvent]
    requests: list[OpenRequest]
    emails: list[QueuedEmail]
    alerts: list[Alert]

    def as_json(self, kinds: Kinds) -> dict[str, object]:
        """Return the same as JSON values; times in ISO 8601."""
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
            "letters": [{"kind": one.kind, "at": _iso(one.at), "subject": one.subject} for one in self.emails],
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
    subject_of: Callable[[WaitingEmail], str],
) -> Everything:
    """Return everything stored about the address that this session has proven.

    keys: of the session's record, under every secret key. subject_of: returns an email's subject, in its own language.
    """
    tenant, email = session.tenant, session.email
    with db.read() as connection:
        waiting = mail_queue.waiting(connection, seal, tenant=tenant, recipient=email)
        subscribed = alerts.of_person(connection, seal, tenant=tenant, email=email)
    stored = person.deliveries_of(db, seal, kinds, tenant=tenant, email=email)
    return Everything(
        email=email,
        indexed=len(index.with_address(db, seal, tenant, email)),
        deliveries={name: [one for one in stored if one.kind == name] for name in kinds},
        access=sessions.of_person(db, seal, tenant=tenant, email=email),
        events=history.lately(db, tenant=tenant, keys=keys),
        requests=privacy_requests.of_person(db, seal, tenant=tenant, email=email),
        emails=[QueuedEmail(one.template, one.queued_at, subject_of(one)) for one in waiting],
        alerts=subscribed,
    )


def _as_json(one: StoredDelivery, *, public: bool) -> dict[str, object]:
    about = {"postingId": one.about, "title": one.title} if public else {}
    return {
        "reference": one.reference,
        **about,
        "acceptedAt": _iso(one.accepted_at),
        "deliveredAt": _iso(one.delivered_at),
        "erasedAt": _iso(one.erased_at),
        "data": dict(one.contents),
        "cv": {"name": one.file_name, "bytes": one.file_size} if one.file_name else None,
        "consent": one.consent.as_json() if one.consent else None,
        "cameFrom": dict(one.sources),
    }


def _iso(at: datetime | None) -> str | None:
    return at.isoformat() if at else None
