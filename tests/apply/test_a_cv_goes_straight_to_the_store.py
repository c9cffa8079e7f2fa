"""With a script the file is sent by itself, while its person goes on with the form; then the form has it."""

import pytest

from portal.uploads.tables import uploads
from tests.apply.applicant import CV, Applicant
from tests.apply.direct import Sender
from tests.builders import Portal


@pytest.fixture
def sender(kept: Portal):
    with kept.browser() as client:
        yield Sender(Applicant(client))


def keys(portal: Portal, prefix: str = "") -> list[str]:
    return list(portal.parts.store.keys(prefix))


def rows(portal: Portal, table) -> list:
    with portal.parts.database.read() as connection:
        return connection.execute(table.select()).all()


def test_the_application_goes_with_the_file_that_was_sent(kept, sender):
    said = sender.bring("Ada's CV.txt")
    assert (said["name"], said["said"]) == ("Ada's CV.txt", None)
    assert sender.ada.receipt(cv=None, upload=said["upload"]).startswith("/acme/applications/")
    (stored,) = rows(kept, uploads)
    assert stored.claimed_by
    with kept.parts.store.open(stored.key) as file:
        assert file.read() == CV[1]
    assert stored.key.startswith("acme/")


def test_nothing_is_left_in_the_quarantine(kept, sender):
    before = keys(kept, "_incoming/")
    sender.bring()
    assert keys(kept, "_incoming/") == before


def test_a_form_that_comes_back_shows_the_file(sender):
    said = sender.bring("Ada.txt")
    page = sender.ada.send(cv=None, upload=said["upload"], firstName="")
    assert "Ada.txt" in page.words
    assert page.hidden["upload"]
    assert set(page.summary) == {"firstName"}
