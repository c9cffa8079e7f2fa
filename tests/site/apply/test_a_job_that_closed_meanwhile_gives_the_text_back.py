from tests.builders import Portal
from tests.site.apply.applicant import ADA, Applicant


def test_she_can_copy_what_she_typed_and_sees_jobs_like_it(acme: Portal, ada: Applicant) -> None:
    acme.write_tenant("acme", "Acme", '[publish]\nstages = ["Never"]')
    acme.parts.clock.sleep(1)
    page = ada.send()
    assert page.status == 410
    for name, typed in ADA.items():
        assert typed in page.words, name
    assert page.headers["cache-control"] == "no-store"


def test_a_form_is_not_opened_for_a_job_that_is_closed_or_never_was(acme: Portal, ada: Applicant) -> None:
    assert ada.client.get("/acme/jobs/nothing/apply").status_code == 404
    assert ada.client.get("/acme/jobs/no.thing/apply").status_code == 404
    assert ada.client.get("/nobody/jobs/job-1/apply").status_code == 404
    assert ada.client.post("/acme/jobs/nothing/apply", data=ADA).status_code == 404
    acme.write_tenant("acme", "Acme", '[publish]\nstages = ["Never"]')
    acme.parts.clock.sleep(1)
    assert ada.open().status == 410
