"""Applications as a kind of delivery: the request of §4.8, exactly its body and nothing more."""

from datetime import timedelta

from portal.applications.arrival import arrived
from portal.applications.payload import ApplicationPayload
from portal.contract.bodies import LocationBody, Submission
from portal.deliveries.kinds import Asking, Delivery, Kind, Letters, OrderedBy, Question
from portal.errors import Rejected
from portal.upstream.client import Upstream


class ApplicationKind(Kind[ApplicationPayload]):
    """about: the posting's id; title: the posting's."""

    name = "application"
    label = "application"
    plural = "applications"
    letters = Letters(received="receipt", unproven="confirm", refused="refused", unsafe="unsafe", dead="dead")
    ordered_by = OrderedBy.PERSON
    repeats_within = timedelta(days=30)
    payload = ApplicationPayload

    def question(self, one: Delivery[ApplicationPayload], asking: Asking) -> Question:
        """Whether it arrived, if it may have."""
        if asking.claimed.maybe_arrived and arrived(one, asking):
            return Question.ARRIVED
        return Question.SEND

    def send(self, service: Upstream, one: Delivery[ApplicationPayload]) -> None:
        """§4.8."""
        service.submit(one.about, body_of(one), reference=one.reference)


def body_of(one: Delivery[ApplicationPayload]) -> Submission:
    """§4.8's body. A member that has the name of one of the body's, or of its location's, goes there by that name."""
    if one.attachment_id is None:
        raise Rejected("the application's file is gone", operation="4.8")
    said = one.payload.model_dump()
    where = {name: said[name] for name in LocationBody.model_fields if said.get(name) is not None}
    return Submission(
        **{name: said[name] for name in Submission.model_fields if name in said},
        cv_attachment_id=one.attachment_id,
        location=LocationBody(type="primary_home", **where),
    )


APPLICATION = ApplicationKind()
