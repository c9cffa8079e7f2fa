from tests.builders import Portal
from tests.site.apply.applicant import ADA, Applicant, Page


def test_the_receipt_shows_the_status_of_the_application(acme: Portal, ada: Applicant) -> None:
    receipt = ada.receipt()
    page = Page(ada.client.get(receipt))
    assert page.status == 200
    assert "Received" in page.words
    acme.work.deliver_what_is_due()
    page = Page(ada.client.get(receipt))
    assert "Your application is with Acme." in page.words


def test_the_receipt_shows_nothing_personal_and_is_not_cached(ada: Applicant) -> None:
    page = Page(ada.client.get(ada.receipt()))
    for name, typed in ADA.items():
        assert not typed or name in {"country", "city"} or typed not in page.text
    assert page.headers["cache-control"] == "no-store"
    assert [e.get("content") for e in page.all("meta") if e.get("name") == "robots"] == ["noindex"]


def test_without_javascript_the_receipt_refreshes_until_the_status_is_final(acme: Portal, ada: Applicant) -> None:
    receipt = ada.receipt()

    def refresh() -> list[str]:
        return [e.attrib["content"] for e in Page(ada.client.get(receipt)).all("meta") if e.get("http-equiv")]

    assert refresh() == ["3"]
    acme.parts.clock.sleep(120)
    assert refresh() == ["15"]
    acme.parts.clock.sleep(90_000)
    assert refresh() == []  # nobody can still be watching


def test_a_receipt_of_a_sent_application_does_not_refresh(acme: Portal, ada: Applicant) -> None:
    receipt = ada.receipt()
    acme.work.deliver_what_is_due()
    page = Page(ada.client.get(receipt))
    assert not [e for e in page.all("meta") if e.get("http-equiv")]
    assert "data-refresh" not in page.text


def test_an_unknown_reference_is_not_found(ada: Applicant) -> None:
    for reference in ("XXXXXXXXXXXXXXXXXXXX", "a", "a.b", "a" * 101):
        assert ada.client.get(f"/acme/applications/{reference}").status_code == 404


def test_a_reference_in_lower_case_is_found(ada: Applicant) -> None:
    receipt = ada.receipt()
    typed = receipt.lower()
    assert typed != receipt
    answer = ada.client.get(typed)
    assert (answer.status_code, answer.headers["location"]) == (303, receipt)
    assert ada.client.get(receipt).status_code == 200


def test_no_page_from_job_to_receipt_uses_a_cookie(ada: Applicant) -> None:
    receipt = ada.client.get(ada.receipt())
    assert "set-cookie" not in receipt.headers
    assert not ada.client.cookies


def test_the_form_is_not_cached(ada: Applicant) -> None:
    assert ada.page.headers["cache-control"] == "private, no-cache"
    assert ada.open().hidden != ada.page.hidden or ada.page.hidden["token"]
    assert ada.send(email="wrong").headers["cache-control"] == "no-store"
