"""The contents of a profile change, sealed until it is delivered."""

from collections.abc import Mapping
from datetime import datetime

from pydantic import BaseModel, ConfigDict

from portal.contract.bodies import CandidateUpdate
from portal.delivery.envelopes.kinds import Payload


class AddressRestore(BaseModel):
    """What an undo does to the record's email addresses, applied to the record as it is when the undo is sent."""

    model_config = ConfigDict(frozen=True)

    takes_out: tuple[str, ...] = ()
    brings_back: tuple[str, ...] = ()


class ChangePayload(Payload):
    """The contents of a profile change. candidate_id is a secret.

    based_on_digest: digest of the record that the form was made from; based_on: its fingerprint, which earlier releases
    compare; based_at: its modification time. update: §4.10's body, without the attachment. left: addresses that it
    removes from the record; proven: those that remain and whose owner has just typed in a code. restored: set for an
    undo, whose update is the record before the change; only the addresses of that update are sent.
    """

    candidate_id: str
    based_on: str
    based_on_digest: str | None = None
    based_at: datetime | None = None
    update: CandidateUpdate
    left: tuple[str, ...] = ()
    proven: tuple[str, ...] = ()
    restored: AddressRestore | None = None

    def compared(self) -> str:
        """Return the update alone: based_on may be hashed under another key the second time."""
        return self.update.model_dump_json(by_alias=True, exclude_none=True)

    def shown(self) -> Mapping[str, object]:
        """Return the update alone: the candidate's id is shown to nobody."""
        return self.update.model_dump(mode="json", by_alias=True, exclude_none=True)
