"""A profile form sent again with other content gets a 409 with all entries."""

import pytest

from tests.builders import Portal
from tests.site.account.candidate import Form, Visitor, at_service
from tests.site.account.test_a_candidate_changes_her_profile import confirm
from tests.site.apply.applicant import Page

CV = ("cv.txt", b"Ada Lovelace, notes on the Analytical Engine.\n" * 20)
OTHER = ("other.txt", b"Ada Lovelace, what came after it.\n" * 20)


@pytest.fixture
def acme(on_each: Portal) -> Portal:
    return on_each


def again(ada: Visitor, review: Form, cv: tuple[str, bytes] | None = None, **changes: str) -> Form:
    """Send the reviewed form again, as from another tab or by the back button."""
    fields = {name: (None, value) for name, value in {**review.page.hidden, **changes}.items()}
    files = fields | ({"cv": (*cv, "application/octet-stream")} if cv else {})
    return Form(ada, Page(ada.client.post("/acme/profile/edit", files=files)))


def stored(acme: Portal) -> list[bytes]:
    found = []
    for key in acme.parts.store.keys("acme/"):
        with acme.parts.store.open(key) as file:
            found.append(file.read())
    return found


def cv_at_service(acme: Portal) -> bytes:
    (record,) = at_service(acme)
    (key,) = next(one["value"] for one in record["customAttributes"] if one["attributeDefinitionId"] == "cv")
    with acme.parts.store.open(key) as file:
        return file.read()


def test_the_conflict_is_reported_and_the_text_is_kept(acme: Portal, ada: Visitor):
    ada.sign_in()
    review = ada.form().press(firstName="Augusta")
    first = confirm(ada, review)
    refused = again(ada, review, firstName="Ada Augusta", lastName="King")
    assert refused.page.status == 409
    assert "already sent this form with different content" in refused.page.words
    assert refused.page.typed["firstName"] == "Ada Augusta"
    assert refused.page.typed["lastName"] == "King"
    assert "Received" in Page(ada.client.get(first)).words
    acme.work.deliver_what_is_due()
    assert at_service(acme)[0]["name"]["firstName"] == "Augusta"


def test_after_confirmation_it_replaces_the_earlier_change_immediately(acme: Portal, ada: Visitor):
    ada.sign_in()
    review = ada.form().press(firstName="Augusta")
    first = confirm(ada, review)
    refused = again(ada, review, firstName="Ada Augusta")
    assert "replaces the last one" in refused.page.words
    second = confirm(ada, refused.press())
    assert second != first
    acme.work.deliver_what_is_due()
    assert at_service(acme)[0]["name"]["firstName"] == "Ada Augusta"


@pytest.mark.parametrize("cv", [None, OTHER], ids=["the stored one", "another one"])
def test_the_cv_is_kept_and_sent_only_with_the_later_change(acme: Portal, ada: Visitor, cv: tuple[str, bytes] | None):
    ada.sign_in()
    review = Form(ada, Page(ada.form().send(CV, firstName="Augusta")))
    confirm(ada, review)
    refused = again(ada, review, cv, firstName="Ada Augusta")
    assert refused.page.status == 409
    name, content = cv or CV
    assert name in refused.page.words
    confirm(ada, refused.press())
    acme.work.run_housekeeping()
    assert stored(acme) == [content]
    acme.work.deliver_what_is_due()
    assert at_service(acme)[0]["name"]["firstName"] == "Ada Augusta"
    assert cv_at_service(acme) == content


def test_another_cv_alone_is_other_content_too(ada: Visitor):
    ada.sign_in()
    review = ada.form().press(firstName="Augusta")
    confirm(ada, review)
    refused = again(ada, review, CV)
    assert refused.page.status == 409
    assert CV[0] in refused.page.words


def test_during_a_storage_outage_the_file_is_requested_again_and_the_text_is_kept(acme: Portal, ada: Visitor):
    ada.sign_in()
    review = Form(ada, Page(ada.form().send(CV, firstName="Augusta")))
    confirm(ada, review)
    folder = acme.folder / "attachments"
    aside = folder.rename(folder.with_name("aside"))
    folder.write_text("not a folder")
    refused = again(ada, review, firstName="Ada Augusta")
    folder.unlink()
    aside.rename(folder)
    assert refused.page.status == 409
    assert refused.page.typed["firstName"] == "Ada Augusta"
    assert "cv" in refused.page.summary
    assert CV[0] not in refused.page.words
    assert refused.press().page.status == 200


def test_a_deleted_file_is_requested_again(acme: Portal, ada: Visitor):
    ada.sign_in()
    review = Form(ada, Page(ada.form().send(CV, firstName="Augusta")))
    confirm(ada, review)
    for key in list(acme.parts.store.keys("acme/")):
        acme.parts.store.delete(key)
    refused = again(ada, review, firstName="Ada Augusta")
    assert refused.page.status == 409
    assert "cv" in refused.page.summary
    assert CV[0] not in refused.page.words
