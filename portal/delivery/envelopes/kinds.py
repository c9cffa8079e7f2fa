"""The interface of a kind of delivery, and its envelope: sealed when it is accepted, opened when it is sent."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, ClassVar, Generic, Self, TypeVar

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict

from portal.adapters.tracker_client.client import TrackerClient
from portal.background.outbox.claim import Claim
from portal.background.outbox.states import OutboxState
from portal.delivery.envelopes.tables import deliveries
from portal.delivery.uploads.claims import key_beside
from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import Database
from portal.platform.database.prepared import AnyConnection, PreparedStatement
from portal.tenants.model import Tenant


def lane(tenant: str) -> str:
    """Return the outbox lane to one tenant's service."""
    return f"service:{tenant}"


def msgid(text: str) -> str:
    """Mark a label of the model for the message catalogues; it is translated where it is shown."""
    return text


class Payload(BaseModel):
    """The contents of a delivery, sealed as JSON at rest. A field's title is its label on pages and in the data export.

    Optional fields default to None, so that a release that adds one can still read older contents.
    """

    model_config = ConfigDict(frozen=True)

    def __repr_args__(self) -> list[tuple[str | None, Any]]:
        """Return nothing: the contents are personal."""
        return []

    def to_json(self) -> str:
        """Return the contents as JSON for sealing, without fields that are None."""
        return self.model_dump_json(by_alias=True, exclude_none=True)

    def compared(self) -> str:
        """Return the text by which two payloads are compared."""
        return self.to_json()

    def shown(self) -> Mapping[str, object]:
        """Return the part of the contents that the candidate is shown: field → JSON value."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


P = TypeVar("P", bound=Payload)


@dataclass(frozen=True, slots=True)
class Delivery(Generic[P]):
    """One envelope, opened.

    email: the sender's address, which also receives emails about it. attachment_id: None without a file.
    """

    reference: str
    kind: str
    tenant: str
    about: str
    title: str | None
    locale: str
    accepted_at: datetime
    email: str = field(repr=False)
    payload: P
    attachment_id: str | None = field(default=None, repr=False)


class DeliveryCheck(StrEnum):
    """The result of the check before an attempt."""

    SEND = "send"
    ARRIVED = "arrived"
    """An earlier attempt reached the service."""
    OVERTAKEN = "overtaken"
    """Sending it would undo a change that somebody else made meanwhile."""


@dataclass(frozen=True, slots=True)
class CheckContext:
    """The objects that the check of a kind may use."""

    db: Database
    seal: Seal
    service: TrackerClient
    tenant: Tenant
    claimed: Claim
    now: datetime


@dataclass(frozen=True, slots=True)
class MailTemplates:
    """Names of templates below templates/mail/. dead: to the operator; all others to the candidate.

    unproven replaces received where the candidate must confirm the delivery by email.
    """

    refused: str
    dead: str
    received: str | None = None
    unsafe: str | None = None
    overtaken: str | None = None
    unproven: str | None = None


class OrderedBy(StrEnum):
    """The property for the order of deliveries: those of a tenant with equal values are sent one after the other."""

    PERSON = "person"
    ABOUT = "about"


class DeliveryKind(ABC, Generic[P]):
    """One kind of delivery; there is one object of each.

    repeats_within: how long the same content from another form counts as the same delivery. supersedes: each delivery
    contains the full desired state, so an earlier one is never sent after a later one. forgotten_on_delivery: contents
    are erased on delivery. about_is_public: `about` is a posting's id, and not a candidate's key. label, plural: what
    operators read.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    plural: ClassVar[str]
    mail_templates: ClassVar[MailTemplates]
    ordered_by: ClassVar[OrderedBy]
    repeats_within: ClassVar[timedelta | None] = None
    supersedes: ClassVar[bool] = False
    forgotten_on_delivery: ClassVar[bool] = False
    about_is_public: ClassVar[bool] = True
    payload: type[P]

    @abstractmethod
    def check_before_send(self, one: Delivery[P], context: CheckContext) -> "DeliveryCheck | Delivery[P]":
        """Check before every attempt what to do; raises TrackerError.

        A returned Delivery is sent in place of this one.
        """

    @abstractmethod
    def send(self, service: TrackerClient, one: Delivery[P]) -> None:
        """Make the request to the service; raises TrackerError."""

    def on_delivered(self, connection: sa.Connection, seal: Seal, row: sa.Row[Any]) -> None:
        """Act on a successful delivery, in the transaction that records it. row: of `deliveries`, as it was before."""

    def on_settled(
        self, connection: sa.Connection, row: sa.Row[Any], state: OutboxState, outcome: str | None, now: datetime
    ) -> None:
        """Act on a final state, in the transaction that records it. row: of `deliveries`."""


Kinds = Mapping[str, DeliveryKind[Any]]


@dataclass(frozen=True, slots=True)
class Contents(Generic[P]):
    """The sealed part of an envelope."""

    email: str = field(repr=False)
    payload: P

    def sealed(self, seal: Seal) -> str:
        """Return the encrypted form for the database."""
        return seal.seal(json.dumps([self.email, self.payload.to_json()]))

    @classmethod
    def opened(cls, seal: Seal, kind: DeliveryKind[P], sealed: str) -> Self:
        """Decrypt the form in the database."""
        email, payload_json = json.loads(seal.open(sealed))
        return cls(email, kind.payload.model_validate_json(payload_json))


def opened(connection: AnyConnection, seal: Seal, kind: DeliveryKind[P], reference: str) -> Delivery[P] | None:
    """Return a delivery with its contents; None if there is none, it is of another kind, or its contents are erased."""
    row = _ENVELOPE.first(connection, {"reference": reference})
    if row is None or row.sealed is None or row.kind != kind.name:
        return None
    contents = Contents.opened(seal, kind, row.sealed)
    return Delivery(
        reference=reference,
        kind=row.kind,
        tenant=row.tenant,
        about=row.about,
        title=row.title,
        locale=row.locale,
        accepted_at=row.accepted_at,
        email=contents.email,
        payload=contents.payload,
        attachment_id=row.attachment_id,
    )


_ENVELOPE = PreparedStatement(
    sa.select(deliveries, key_beside(deliveries.c.reference).label("attachment_id")).where(
        deliveries.c.reference == sa.bindparam("reference")
    )
)
