"""Source parameters of a form's URL are stored by the portal only: the service receives the body of §4.8."""

from portal.contract.bodies import Submission
from tests.delivery.scene import Scene
from tests.site.apply.applicant import Applicant


def test_the_service_does_not_receive_source_parameters(scene: Scene):
    with scene.browser() as client:
        Applicant(client, "/acme/jobs/job-1/apply?utm_source=newsletter&ref=fair").receipt()
    scene.deliver()
    (posted,) = scene.acme.posted
    assert set(posted.body) == {field.alias for field in Submission.model_fields.values()}
    assert "newsletter" not in repr(posted)
