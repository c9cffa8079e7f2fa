from tests.builders import Portal
from tests.site.apply.applicant import ADA, Applicant, Page


def test_she_applies_and_the_receipt_says_where_it_stands(acme: Portal, ada: Applicant) -> None:
    receipt = ada.receipt()
    page = Page(ada.client.get(receipt))
    assert page.status == 200
    assert "Received" in page.words
    acme.work.deliver_what_is_due()
    page = Page(ada.client.get(receipt))
    assert "Your application is with Acme." in page.words


def test_the_receipt_shows_nothing_personal_and_is_kept_by_nobody(ada: Applicant) -> None:
    page = Page(ada.client.get(ada.receipt()))
    for name, typed in ADA.items():
        assert not typed or name in {"country", "city"} or typed not in page.text
    assert page.headers["cache-control"] == "no-store"
    assert [e.get("content") for e in page.all("meta") if e.get("name") == "robots"] == ["noindex"]


def test_without_javascript_it_looks_again_by_itself_until_there_is_nothing_new(acme: Portal, ada: Applicant) -> None:
    receipt = ada.receipt()

    def refresh() -> list[str]:
        return [e.attrib["content"] for e in Page(ada.client.get(receipt)).all("meta") if e.get("http-equiv")]

    assert refresh() == ["3"]
    acme.parts.clock.sleep(120)
    assert refresh() == ["15"]
    acme.parts.clock.sleep(90_000)
    assert refresh() == []  # nobody can be watching


def test_once_it_is_sent_it_stops_looking(acme: Portal, ada: Applicant) -> None:
    receipt = ada.receipt()
    acme.work.deliver_what_is_due()
    page = Page(ada.client.get(receipt))
    assert not [e for e in page.all("meta") if e.get("http-equiv")]
    assert "data-refresh" not in page.text


def test_a_reference_that_nobody_was_given_is_not_found(ada: Applicant) -> None:
    for reference in ("XXXXXXXXXXXXXXXXXXXX", "a", "a.b", "a" * 101):
        assert ada.client.get(f"/acme/applications/{reference}").status_code == 404


def test_a_reference_may_be_typed_in_small_letters(ada: Applicant) -> None:
    receipt = ada.receipt()
    typed = receipt.lower()
    assert typed != receipt
    answer = ada.client.get(typed)
    assert (answer.status_code, answer.headers["location"]) == (303, receipt)
    assert ada.client.get(receipt).status_code == 200


def test_no_page_on_the_way_sets_or_needs_a_cookie(ada: Applicant) -> None:
    receipt = ada.client.get(ada.receipt())
    assert "set-cookie" not in receipt.headers
    assert not ada.client.cookies


def test_the_form_is_nobody_elses(ada: Applicant) -> None:
    assert ada.page.headers["cache-control"] == "private, no-cache"
    assert ada.open().hidden != ada.page.hidden or ada.page.hidden["token"]
    assert ada.send(email="wrong").headers["cache-control"] == "no-store"
