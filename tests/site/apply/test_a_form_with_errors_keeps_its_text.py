import pytest

from tests.builders import Portal
from tests.site.apply.applicant import ADA, CV, Applicant


def test_each_invalid_field_is_named_in_the_summary_and_at_the_field(ada: Applicant) -> None:
    page = ada.send(None, firstName="", lastName="N" * 101, email="ada", phoneNumber="12", networkUrl="javascript:x")
    assert page.status == 422
    assert set(page.summary) == {"firstName", "lastName", "email", "phoneNumber", "networkUrl", "cv"}
    assert page.summary["firstName"] == "Enter your first name."
    assert "100 characters" in page.summary["lastName"]


def test_all_typed_text_is_unchanged(ada: Applicant) -> None:
    typed = {**ADA, "firstName": "  José ", "lastName": 'O\'Brien "the <b>welder</b>"', "city": "القاهرة", "email": "@"}
    assert ada.send(CV, **typed).typed == typed


def test_an_unprintable_character_is_shown_as_a_removable_symbol(ada: Applicant) -> None:
    page = ada.send(firstName="A\x00da\u202e")
    assert page.typed["firstName"] == "A\ufffdda\ufffd"
    assert set(page.summary) == {"firstName"}


@pytest.mark.parametrize("name", ["José", "O'Brien", "李小龙", "N" * 100, "👩" * 50, "עדה"])
def test_unusual_names_are_accepted(ada: Applicant, name: str) -> None:
    assert ada.receipt(firstName=name, lastName=name)


def test_the_postal_address_is_optional(ada: Applicant) -> None:
    assert ada.receipt(city="", postalCode="", country="", networkUrl="", phoneNumber="+49 30 1234567")


def test_consent_is_required_if_the_company_asks_for_it(acme: Portal, ada: Applicant) -> None:
    acme.write_tenant(
        "acme", "Acme", '[publish]\nstages = ["Open"]\n[apply]\nconsent = "Keep it."\nphone_region = "DE"'
    )
    acme.parts.clock.sleep(1)
    page = ada.open()
    assert "Keep it." in page.words
    page = ada.send()
    assert set(page.summary) == {"consent"}
    assert set(ada.send(None, consent="false").summary) == {"consent"}
    assert ada.receipt(None, consent="yes")


def test_a_stored_cv_need_not_be_chosen_again(ada: Applicant) -> None:
    page = ada.send(email="wrong")
    assert CV[0] in page.words
    assert "required" not in page.by_id("cv").attrib
    assert ada.receipt(None)


def test_a_rejected_cv_does_not_replace_the_stored_one(ada: Applicant) -> None:
    ada.send(email="wrong")
    page = ada.send(("empty.pdf", b""))
    assert set(page.summary) == {"cv"}
    assert CV[0] in page.words
    assert ada.receipt(None)


def test_a_stored_cv_belongs_to_its_own_form(acme: Portal, ada: Applicant) -> None:
    stolen = ada.send(email="wrong").hidden["upload"]
    with acme.browser() as client:
        eve = Applicant(client)
        page = eve.send(None, hidden={**eve.page.hidden, "upload": stolen})
    assert set(page.summary) == {"cv"}
    assert "upload" not in page.hidden


def test_a_stored_cv_that_was_deleted_is_requested_again(acme: Portal, ada: Applicant) -> None:
    ada.send(email="wrong")
    acme.parts.clock.sleep(acme.parts.settings.upload_ttl + 1)
    acme.work.run_housekeeping()
    assert "no longer stored here" in ada.send(None).summary["cv"]
    assert ada.receipt()
