"""A draft's file is described only with both signatures, and only while it is stored."""

import httpx

from portal.delivery.uploads.storing import delete_unclaimed
from tests.builders import Portal
from tests.site.apply.applicant import ADA, CV, Applicant

KEPT = "/acme/jobs/job-1/apply/kept"
DAY = 86_400


def kept_of(ada: Applicant) -> dict[str, str]:
    """Return what a tab stores of a form that was returned with its file."""
    hidden = ada.send(email="ada").hidden
    return {"token": hidden["token"], "upload": hidden["upload"]}


def ask(ada: Applicant, fields: dict[str, str], address: str = KEPT) -> httpx.Response:
    return ada.client.post(address, data=fields)


def test_the_file_is_described_and_its_form_can_be_sent(ada: Applicant) -> None:
    kept = kept_of(ada)
    answer = ask(ada, kept)
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    found = answer.json()
    assert found["name"] == CV[0]
    assert found["about"].startswith("TXT, ")
    assert "key" not in found
    hidden = {"token": found["token"], "upload": found["upload"]}
    receipt = ada.post(None, hidden=hidden).headers["location"]
    assert receipt == ada.post(None, hidden=kept).headers["location"], "it is still the same form"


def test_an_expired_token_is_renewed(acme: Portal, ada: Applicant) -> None:
    kept = kept_of(ada)
    acme.parts.clock.sleep(DAY + 1)
    found = ask(ada, kept).json()
    assert ada.post(None, hidden={"token": found["token"], "upload": found["upload"]}).status_code == 303


def test_a_deleted_file_is_not_found(acme: Portal, ada: Applicant) -> None:
    kept = kept_of(ada)
    services = acme.parts
    services.clock.sleep(2)
    delete_unclaimed(services.database, services.store, older_than=1, clock=services.clock)
    answer = ask(ada, kept)
    assert answer.status_code == 410
    assert answer.json()["detail"] == "Your CV is no longer stored here. Choose it again."


def test_another_form_another_job_and_a_forgery_get_no_description(acme: Portal, ada: Applicant) -> None:
    kept = kept_of(ada)
    with acme.browser() as client:
        other = Applicant(client).page.hidden["token"]
    assert ask(ada, {**kept, "token": other}).status_code == 410
    assert ask(ada, {**kept, "token": kept["token"][:-2]}).status_code == 410
    assert ask(ada, {**kept, "upload": kept["upload"][:-2]}).status_code == 410
    assert ask(ada, {"token": kept["token"]}).status_code == 410
    assert ask(ada, kept, KEPT.replace("job-1", "job-2")).status_code == 410


def test_a_file_is_still_used_by_one_application_only(ada: Applicant) -> None:
    kept = kept_of(ada)
    assert ada.post(None, hidden=kept).status_code == 303
    again = ask(ada, kept).json()
    changed = ada.post(None, hidden={"token": again["token"], "upload": again["upload"]}, city="Bonn")
    assert changed.status_code == 409
    assert ADA["city"] != "Bonn"


def test_another_sites_page_cannot_request_it(ada: Applicant) -> None:
    answer = ada.client.post(KEPT, data=kept_of(ada), headers={"Origin": "https://elsewhere.example"})
    assert answer.status_code == 403
