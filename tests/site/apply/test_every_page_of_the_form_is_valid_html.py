from tests.builders import Portal
from tests.parts.html import HtmlChecker
from tests.site.apply.applicant import Applicant


def test_every_page_of_the_form_passes_the_w3c_checker(acme: Portal, ada: Applicant, html: HtmlChecker) -> None:
    assert html.validate(ada.page.text) == []
    assert html.validate(ada.send(email="wrong", country="XX").text) == []
    receipt = ada.receipt(None)
    assert html.validate(ada.client.get(receipt).text) == []
    assert html.validate(ada.send(city="Bonn").text) == []
    acme.work.deliver_what_is_due()
    assert html.validate(ada.client.get(receipt).text) == []
    acme.write_tenant("acme", "Acme", '[publish]\nstages = ["Never"]')
    acme.parts.clock.sleep(1)
    assert html.validate(ada.send().text) == []
    assert html.validate(ada.open().text) == []
