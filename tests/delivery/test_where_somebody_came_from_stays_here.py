"""What the address of a form says of where somebody came from is the portal's own: the service gets §4.8 alone."""

from portal.contract.bodies import Submission
from tests.delivery.scene import Scene
from tests.site.apply.applicant import Applicant


def test_it_does_not_go_to_the_service(here: Scene):
    with here.browser() as client:
        Applicant(client, "/acme/jobs/job-1/apply?utm_source=newsletter&ref=fair").receipt()
    here.deliver()
    (posted,) = here.acme.posted
    assert set(posted.body) == {field.alias for field in Submission.model_fields.values()}
    assert "newsletter" not in repr(posted)
