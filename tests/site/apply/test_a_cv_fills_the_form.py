"""Without JavaScript, a button fills empty fields of the form from the CV, and stores no details."""

from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.adapters.cv_reader.people import people
from tests.adapters.cv_reader.word_designs import docx_plain, txt_labels
from tests.builders import Portal
from tests.site.apply.applicant import Applicant, words

ANNA = people()[12]
CV = ("cv.txt", txt_labels(ANNA))
NOTHING = dict.fromkeys(("firstName", "lastName", "email", "phoneNumber", "networkUrl", "city", "country"), "")
NOTHING |= {"region": "", "postalCode": ""}
FILL = {"fill": "Fill in from my CV"}


def test_empty_fields_are_filled_and_marked(ada: Applicant):
    page = ada.send(CV, **NOTHING, **FILL)
    assert page.status == 200
    assert page.typed | {"firstName": "Anna", "lastName": "Müller", "email": "anna.mueller@example.de"} == page.typed
    assert page.typed["phoneNumber"] == "+49 30 1234567"
    assert page.typed["networkUrl"] == "https://linkedin.com/in/anna-mueller"
    assert "5 fields were filled in from your CV." in page.notice
    assert "From your CV. Check that it is correct." in words(page.by_id("phoneNumber-read"))
    assert "phoneNumber-read" in page.by_id("phoneNumber").attrib["aria-describedby"].split()
    assert not page.summary
    assert not page.words.startswith("Error")


def test_typed_text_is_kept(ada: Applicant):
    page = ada.send(CV, **{**NOTHING, "firstName": "Änne", "networkUrl": " anna.example "}, **FILL)
    assert page.typed["firstName"] == "Änne"
    assert page.typed["networkUrl"] == " anna.example "
    assert page.typed["lastName"] == "Müller"
    assert "3 fields were filled in" in page.notice


def test_the_cv_becomes_the_forms_file_and_nothing_is_sent_until_submission(ada: Applicant, acme: Portal):
    page = ada.send(CV, **NOTHING, **FILL)
    assert "upload" in page.hidden
    answer = ada.post(None, hidden=page.hidden, **page.typed)
    assert answer.status_code == 303


def test_an_uploaded_file_is_read_again(ada: Applicant):
    first = ada.send(CV, **{**NOTHING, "email": "no address"})
    assert first.status == 422
    page = ada.send(None, hidden=first.hidden, **NOTHING, **FILL)
    assert page.typed["email"] == "anna.mueller@example.de"


@pytest.mark.parametrize(("cv", "status"), [(None, 422), (("cv.txt", b"\x00\x01"), 422)])
def test_without_an_acceptable_file_the_error_is_shown(ada: Applicant, cv, status: int):
    page = ada.send(cv, **{**NOTHING, "city": "Potsdam"}, **FILL)
    assert page.status == status
    assert list(page.summary) == ["cv"]
    assert page.typed["city"] == "Potsdam"


def test_a_cv_without_reliable_details_is_reported(ada: Applicant):
    page = ada.send(("cv.txt", b"Ten years of welding, and of nothing else.\n"), **NOTHING, **FILL)
    assert page.status == 200
    assert "Enter them yourself." in page.notice
    assert not any(page.typed.values())


def test_the_enter_key_submits_and_does_not_fill(ada: Applicant):
    first = next(e for e in ada.page.root.iter() if e.get("type") == "submit")
    assert first.attrib["value"] == "Send application"
    assert "name" not in first.attrib


def test_a_company_can_turn_it_off(acme: Portal, ada: Applicant):
    acme.write_tenant("acme", "Acme", '[publish]\nstages = ["Open"]\n[apply]\nread_cv = false\n')
    acme.parts.clock.sleep(60)
    page = ada.open()
    assert "Fill in from my CV" not in page.text
    assert "read.js" not in page.text
    answer = ada.send(CV, **NOTHING, **FILL)
    assert answer.status == 422
    assert not any(answer.typed.values())


def test_no_details_are_stored(acme: Portal, ada: Applicant, tmp_path: Path, caplog: pytest.LogCaptureFixture):
    caplog.set_level(0)
    person = people()[34]
    ada.send(("cv.docx", docx_plain(person)), **NOTHING, **FILL)
    database = sa.MetaData()
    with acme.parts.database.read() as connection:
        database.reflect(connection, only=lambda name, _: not name.startswith("vacancy"))
        kept = "".join(str(row) for table in database.sorted_tables for row in connection.execute(table.select()))
    canaries = [person.family, person.mail, person.e164, person.given]
    assert [one for one in canaries if one in kept + caplog.text] == []
    assert "uploads" in database.tables
