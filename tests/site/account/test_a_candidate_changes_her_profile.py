"""A change goes from the form and its review to the service, which then has exactly the intended values."""

from portal.background.outbox.claim import claim
from portal.background.outbox.retry_policy import Policy
from portal.delivery.record_changes.kind import CHANGE
from tests.builders import Portal
from tests.site.account.candidate import ADA, Form, Visitor, at_service, mailbox
from tests.site.apply.applicant import Page

CV = ("cv.txt", b"Ada Lovelace, notes on the Analytical Engine.\n" * 20)


def confirm(ada: Visitor, review: Form, **more: str) -> str:
    """Send the reviewed change; return the address of its status page."""
    answer = ada.client.post(
        "/acme/profile/edit", files={k: (None, v) for k, v in {**review.page.hidden, **more}.items()}
    )
    assert answer.status_code == 303, Page(answer).words
    return answer.headers["location"]


def test_a_change_is_reviewed_and_then_delivered(acme: Portal, ada: Visitor):
    ada.sign_in()
    review = ada.form().press(firstName=" Augusta ", **{"phoneNumbers-0-phoneNumber": "030 7654321"})
    assert review.page.status == 200
    assert "Review your changes" in review.page.words
    assert "Ada" in review.page.words
    assert "Augusta" in review.page.words
    assert at_service(acme)[0]["name"]["firstName"] == "Ada"
    change = confirm(ada, review)
    assert "Received" in Page(ada.client.get(change)).words
    acme.work.deliver_what_is_due()
    assert "is up to date" in Page(ada.client.get(change)).words
    (record,) = at_service(acme)
    assert (record["name"]["firstName"], record["name"]["lastName"]) == ("Augusta", "Lovelace")
    assert record["phoneNumbers"]["phoneNumbers"] == [
        {"purpose": "carrier pigeon", "phoneNumber": "+49307654321", "isPrimary": True}
    ]
    assert record["socialMedia"]["socialMedia"] == [
        {"url": "network.example/ada", "type": "ODD_NETWORK", "isPrimary": False}
    ]
    assert record["aiSummary"] == "a secret opinion"


def test_lists_are_edited_by_buttons_without_javascript(acme: Portal, ada: Visitor):
    ada.sign_in()
    form = ada.form().press(do="phoneNumbers.add")
    assert form.page.by_id("phoneNumbers-1-phoneNumber").get("autofocus") is not None
    form = form.press(do="phoneNumbers.up.1", **{"phoneNumbers-1-phoneNumber": "+33 1 42 68 53 00"})
    assert form.page.typed["phoneNumbers-0-phoneNumber"] == "+33 1 42 68 53 00"
    assert form.page.typed["phoneNumbers-1-purpose"] == "carrier pigeon"
    form = form.press(do="socialMedia.remove.0")
    assert "socialMedia-0-url" not in form.page.typed
    confirm(ada, form.press())
    acme.work.deliver_what_is_due()
    (record,) = at_service(acme)
    assert [one["phoneNumber"] for one in record["phoneNumbers"]["phoneNumbers"]] == ["+33142685300", "+49301234567"]
    assert [one["isPrimary"] for one in record["phoneNumbers"]["phoneNumbers"]] == [False, True]
    assert record["socialMedia"]["socialMedia"] == []


def test_fields_missing_from_a_post_are_not_erased(acme: Portal, ada: Visitor):
    ada.sign_in()
    page = ada.get("/profile/edit")
    posted = ada.post("/profile/edit", page, firstName="Augusta", lastName="King")
    confirm(ada, Form(ada, Page(posted)))
    acme.work.deliver_what_is_due()
    (record,) = at_service(acme)
    assert record["name"]["lastName"] == "King"
    assert record["emails"]["emails"][0]["email"] == ADA
    assert len(record["phoneNumbers"]["phoneNumbers"]) == 1
    assert len(record["socialMedia"]["socialMedia"]) == 1


def test_a_list_that_the_service_does_not_have_is_not_sent(acme: Portal, ada: Visitor):
    from tests.site.account.candidate import candidate

    acme.service.load("acme", [candidate(phoneNumbers=None)])
    acme.work.index_what_is_due()
    ada.sign_in()
    confirm(ada, ada.form().press(firstName="Augusta"))
    acme.work.deliver_what_is_due()
    assert at_service(acme)[0]["phoneNumbers"]["phoneNumbers"] is None


def test_a_new_cv_is_sent_with_the_change(acme: Portal, ada: Visitor):
    ada.sign_in()
    review = Form(ada, Page(ada.form().send(CV)))
    assert "cv.txt" in review.page.words
    confirm(ada, review)
    acme.work.deliver_what_is_due()
    (record,) = at_service(acme)
    (key,) = next(one["value"] for one in record["customAttributes"] if one["attributeDefinitionId"] == "cv")
    assert key.startswith("acme/")
    with acme.parts.store.open(key) as stored:
        assert stored.read() == CV[1]
    assert key not in review.page.text


def test_an_invalid_field_is_named_and_nothing_typed_is_lost(ada: Visitor):
    ada.sign_in()
    wrong = ada.form().press(
        lastName="", **{"emails-0-email": "not an address", "socialMedia-0-url": "ftp://x.example"}
    )
    assert wrong.page.status == 422
    assert set(wrong.page.summary) == {"lastName", "emails-0-email", "socialMedia-0-url"}
    assert wrong.page.typed["emails-0-email"] == "not an address"


def test_the_last_email_address_cannot_be_removed(ada: Visitor):
    ada.sign_in()
    form = ada.form().press(do="emails.remove.0").press()
    assert form.page.status == 422
    assert "emails-add" in form.page.summary


def test_sending_the_same_form_twice_is_one_change(acme: Portal, ada: Visitor):
    ada.sign_in()
    review = ada.form().press(firstName="Augusta")
    first = confirm(ada, review)
    assert confirm(ada, review) == first


def test_another_change_waits_for_the_previous_one(acme: Portal, ada: Visitor):
    ada.sign_in()
    confirm(ada, ada.form().press(firstName="Augusta"))
    review = ada.form().press(firstName="Ada Augusta")
    assert claim(acme.parts.database, [CHANGE.name], Policy(), acme.parts.clock.now())
    refused = Page(ada.client.post("/acme/profile/edit", files={k: (None, v) for k, v in review.page.hidden.items()}))
    assert refused.status == 409
    for page in (refused, ada.get("/profile/edit")):
        assert "still on its way" in page.words
        assert "Review changes" not in [
            button.text for button in page.all("button") if "hidden" not in button.get("class", "")
        ]
    acme.parts.clock.pass_time(180)
    acme.work.deliver_what_is_due()
    acme.parts.clock.pass_time(900)
    ada.sign_in()
    acme.work.deliver_what_is_due()
    assert "still on its way" not in ada.get("/profile/edit").words


def test_another_change_replaces_one_that_was_not_sent_yet(acme: Portal, ada: Visitor):
    ada.sign_in()
    first = confirm(ada, ada.form().press(firstName="Augusta"))
    form = ada.form()
    assert "replaces the last one" in form.page.words
    assert form.page.typed["firstName"] == "Ada"
    onward = ada.form(f"/profile/edit?again={first.rsplit('/', 1)[1]}")
    assert onward.page.typed["firstName"] == "Augusta"
    review = onward.press(lastName="King")
    assert "replaces your last change" in review.page.words
    confirm(ada, review)
    assert "You replaced this change with another one" in Page(ada.client.get(first)).words
    acme.work.deliver_what_is_due()
    (record,) = at_service(acme)
    assert record["name"] == {**record["name"], "firstName": "Augusta", "lastName": "King"}
    assert "was replaced by a later one" in ada.get("/profile/edit").words


def test_sending_the_original_values_cancels_a_waiting_change(acme: Portal, ada: Visitor):
    ada.sign_in()
    confirm(ada, ada.form().press(firstName="Augusta"))
    confirm(ada, ada.form().press())
    acme.work.deliver_what_is_due()
    assert at_service(acme)[0]["name"]["firstName"] == "Ada"


def test_an_outdated_form_does_not_replace_a_change_without_confirmation(acme: Portal, ada: Visitor):
    ada.sign_in()
    other_tab = ada.form()
    first = confirm(ada, ada.form().press(firstName="Augusta"))
    review = other_tab.press(firstName="Ada Augusta")
    asked = Page(ada.client.post("/acme/profile/edit", files={k: (None, v) for k, v in review.page.hidden.items()}))
    assert asked.status == 409
    assert "replaces the last one" in asked.words
    assert "Received" in Page(ada.client.get(first)).words
    confirm(ada, Form(ada, asked).press())
    acme.work.deliver_what_is_due()
    assert at_service(acme)[0]["name"]["firstName"] == "Ada Augusta"


def test_a_form_without_changes_sends_nothing(ada: Visitor):
    ada.sign_in()
    assert "nothing to send" in ada.form().press().page.words


def test_recent_activity_is_listed(acme: Portal, ada: Visitor):
    ada.sign_in()
    confirm(ada, ada.form().press(firstName="Augusta"))
    acme.work.deliver_what_is_due()
    page = ada.get("/profile/edit").words
    for what in ("signed in with a code", "A change was sent", "The change was delivered"):
        assert what in page
    assert len(mailbox(acme)) == 1
