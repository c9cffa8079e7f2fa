from concurrent.futures import ThreadPoolExecutor

from tests.builders import Portal
from tests.site.apply.applicant import Applicant, Page


def test_a_reload_or_a_double_click_leads_to_the_same_receipt(ada: Applicant) -> None:
    assert ada.receipt() == ada.receipt()


def test_many_concurrent_clicks_lead_to_the_same_receipt(acme: Portal, ada: Applicant) -> None:
    with ThreadPoolExecutor(4) as clicks:  # as many files of one network as are inspected or queued
        receipts = set(clicks.map(lambda _: ada.receipt(), range(8)))
    assert len(receipts) == 1
    assert acme.work.deliver_what_is_due() >= 1


def test_the_same_form_with_other_content_is_reported_and_becomes_a_new_form(ada: Applicant) -> None:
    first = ada.receipt()
    page = ada.send(city="Bonn")
    assert page.status == 409
    assert first in {a.get("href") for a in page.all("a")}
    assert page.typed["city"] == "Bonn"
    assert ada.receipt(city="Bonn") != first
    assert Page(ada.client.get(first)).status == 200
