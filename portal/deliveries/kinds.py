"""What a kind of delivery is, and its envelope: sealed when it is accepted, opened when it is sent."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any, ClassVar, Generic, Self, TypeVar

import sqlalchemy as sa
from pydantic import BaseModel, ConfigDict

from portal.db import Database
from portal.deliveries.tables import deliveries
from portal.outbox.claim import Claim
from portal.outbox.states import State
from portal.sealing import Seal
from portal.straight import At, Straight
from portal.tenants.model import Tenant
from portal.uploads.claims import key_beside
from portal.upstream.client import Upstream


def msgid(text: str) -> str:
    """Mark a word of the model for the catalogues; it is translated where it is shown."""
    return text


class Payload(BaseModel):
    """What a delivery says, sealed as JSON at rest. A member's title is its name on pages and in the data export.

    A member that may be left out has a default of None, so that a release that adds one reads what is older.
    """

    model_config = ConfigDict(frozen=True)

    def __repr_args__(self) -> list[tuple[str | None, Any]]:
        """Nothing: what it says is personal."""
        return []

    def said(self) -> str:
        """As JSON, what was not given left out: for sealing."""
        return self.model_dump_json(by_alias=True, exclude_none=True)

    def compared(self) -> str:
        """What tells whether two say the same."""
        return self.said()

    def shown(self) -> Mapping[str, object]:
        """What its person is shown of it, by member; JSON values."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


P = TypeVar("P", bound=Payload)


@dataclass(frozen=True, slots=True)
class Delivery(Generic[P]):
    """One envelope, opened. email: whose it is, and where letters about it go. attachment_id: None without a file."""

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


class Question(StrEnum):
    """What is known before an attempt."""

    SEND = "send"
    ARRIVED = "arrived"
    """An earlier attempt came through."""
    OVERTAKEN = "overtaken"
    """Sending it would undo what somebody else did meanwhile."""


@dataclass(frozen=True, slots=True)
class Asking:
    """What a kind may look at to answer its question."""

    db: Database
    seal: Seal
    service: Upstream
    tenant: Tenant
    claimed: Claim


@dataclass(frozen=True, slots=True)
class Letters:
    """Names below templates/mail/. dead: to the operator; all others to its person, unproven instead of received."""

    refused: str
    dead: str
    received: str | None = None
    unsafe: str | None = None
    overtaken: str | None = None
    unproven: str | None = None


class OrderedBy(StrEnum):
    """Deliveries of one tenant that share this go out one after the other."""

    PERSON = "person"
    ABOUT = "about"


class Kind(ABC, Generic[P]):
    """One kind of delivery; there is one object of each.

    repeats_within: for so long the same content from another form is the same delivery. supersedes: a later one says
    everything that is to be, so an earlier one is never sent after it. forgotten_on_delivery: nothing of it is kept.
    about_is_public: `about` is a posting's id, and not a candidate's key. label, plural: what operators read.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    plural: ClassVar[str]
    letters: ClassVar[Letters]
    ordered_by: ClassVar[OrderedBy]
    repeats_within: ClassVar[timedelta | None] = None
    supersedes: ClassVar[bool] = False
    forgotten_on_delivery: ClassVar[bool] = False
    about_is_public: ClassVar[bool] = True
    payload: type[P]

    @abstractmethod
    def question(self, one: Delivery[P], asking: Asking) -> Question:
        """Asked before every attempt; raises UpstreamError."""

    @abstractmethod
    def send(self, service: Upstream, one: Delivery[P]) -> None:
        """The request that it becomes; raises UpstreamError."""

    def arrived(self, connection: sa.Connection, seal: Seal, row: sa.Row[Any]) -> None:
        """Called in the transaction that records that it was delivered. row: as it was before, of `deliveries`."""

    def noted(
        self, connection: sa.Connection, row: sa.Row[Any], state: State, outcome: str | None, now: datetime
    ) -> None:
        """Called in the transaction that records a final state. row: of `deliveries`."""


Kinds = Mapping[str, Kind[Any]]


@dataclass(frozen=True, slots=True)
class Contents(Generic[P]):
    """The sealed part of an envelope."""

    email: str = field(repr=False)
    payload: P

    def sealed(self, seal: Seal) -> str:
        """For the database."""
        return seal.seal(json.dumps([self.email, self.payload.said()]))

    @classmethod
    def opened(cls, seal: Seal, kind: Kind[P], sealed: str) -> Self:
        """From the database."""
        email, said = json.loads(seal.open(sealed))
        return cls(email, kind.payload.model_validate_json(said))


def opened(connection: At, seal: Seal, kind: Kind[P], reference: str) -> Delivery[P] | None:
    """A delivery with what it says; None where there is none, or what it said is erased."""
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


_ENVELOPE = Straight(
    sa.select(deliveries, key_beside(deliveries.c.reference).label("attachment_id")).where(
        deliveries.c.reference == sa.bindparam("reference")
    )
)
