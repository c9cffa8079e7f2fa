"""What an application may say, its form asks for: a member without a control on the page would never be filled in."""

from portal.contract.bodies import LocationBody, Submission
from portal.delivery.applications.payload import ApplicationPayload
from tests.site.apply.applicant import Applicant


def test_each_member_has_a_control_and_each_control_a_member(ada: Applicant) -> None:
    goes_to = {**LocationBody.model_fields, **Submission.model_fields}
    assert set(ada.page.typed) == {goes_to[name].alias for name in ApplicationPayload.model_fields}
