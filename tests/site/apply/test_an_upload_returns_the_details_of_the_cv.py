"""The response to an upload contains details of the CV, also if it is requested again."""

from tests.adapters.cv_reader.people import people
from tests.adapters.cv_reader.word_designs import txt_labels
from tests.builders import Portal
from tests.site.apply.direct import Sender

ANNA = txt_labels(people()[12])
SAID = {
    "firstName": "Anna",
    "lastName": "Müller",
    "email": "anna.mueller@example.de",
    "phoneNumber": "+49 30 1234567",
    "networkUrl": "https://linkedin.com/in/anna-mueller",
}


def test_details_have_the_forms_field_names_on_every_request(sender: Sender):
    assert sender.bring("cv.txt", ANNA)["said"] == SAID
    assert sender.check().json()["said"] == SAID


def test_a_company_that_turned_it_off_gets_no_details(kept: Portal, sender: Sender):
    kept.write_tenant("acme", "Acme", '[publish]\nstages = ["Open"]\n[apply]\nread_cv = false\n')
    kept.parts.clock.sleep(60)
    assert sender.bring("cv.txt", ANNA)["said"] is None


def test_a_cv_without_matching_details_returns_none(sender: Sender):
    assert sender.bring("cv.txt", b"ten years of welding, and of nothing else\n")["said"] is None
