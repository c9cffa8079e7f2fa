from tests.builders import Portal
from tests.site.apply.applicant import ADA, Applicant


def test_the_typed_text_can_be_copied_and_similar_jobs_are_shown(acme: Portal, ada: Applicant) -> None:
    acme.write_tenant("acme", "Acme", '[publish]\nstages = ["Never"]')
    acme.parts.clock.sleep(1)
    page = ada.send()
    assert page.status == 410
    for name, typed in ADA.items():
        assert typed in page.words, name
    assert page.headers["cache-control"] == "no-store"


def test_no_form_is_shown_for_a_closed_or_unknown_job(acme: Portal, ada: Applicant) -> None:
    assert ada.client.get("/acme/jobs/nothing/apply").status_code == 404
    assert ada.client.get("/acme/jobs/no.thing/apply").status_code == 404
    assert ada.client.get("/nobody/jobs/job-1/apply").status_code == 404
    assert ada.client.post("/acme/jobs/nothing/apply", data=ADA).status_code == 404
    acme.write_tenant("acme", "Acme", '[publish]\nstages = ["Never"]')
    acme.parts.clock.sleep(1)
    assert ada.open().status == 410
