"""What a change of a record says, as it is sealed until it is delivered."""

from collections.abc import Mapping
from datetime import datetime

from portal.contract.bodies import CandidateUpdate
from portal.deliveries.kinds import Payload


class ChangePayload(Payload):
    """candidate_id is a secret. based_on: fingerprint of the record that the form was made from; based_at: its
    modification time. update: §4.10's body, without the attachment. left: addresses that it takes out of the record;
    proven: those it leaves there whose owner has just typed in a code.
    """

    candidate_id: str
    based_on: str
    based_at: datetime | None = None
    update: CandidateUpdate
    left: tuple[str, ...] = ()
    proven: tuple[str, ...] = ()

    def compared(self) -> str:
        """The update alone: what it was based on may be hashed under another key the second time."""
        return self.update.model_dump_json(by_alias=True, exclude_none=True)

    def shown(self) -> Mapping[str, object]:
        """The update alone: the candidate's id is shown to nobody."""
        return self.update.model_dump(mode="json", by_alias=True, exclude_none=True)
