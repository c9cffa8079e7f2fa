"""The log has two events for a normal application: accepted and delivered."""

from collections import Counter

from portal.platform.logs import EventName
from tests.builders import Portal
from tests.platform.logs.hearing import Hearing
from tests.site.account.candidate import Visitor
from tests.site.account.test_a_candidate_changes_the_record import confirm
from tests.site.apply.applicant import Applicant

PEOPLE = 15


def test_accepted_and_delivered_each_once_and_nothing_else(acme: Portal, heard: Hearing):
    sent: dict[str, str] = {}
    for number in range(PEOPLE):
        with acme.browser() as client:
            answer = Applicant(client).post(email=f"person-{number}@people.example")
            sent[answer.headers["location"].rpartition("/")[2]] = answer.headers["x-request-id"]
    acme.work.deliver_what_is_due()
    assert len(sent) == PEOPLE
    assert Counter(heard.story) == {"accepted": PEOPLE, "delivered": PEOPLE}
    assert {line["reference"]: line["request"] for line in heard.of("accepted")} == sent
    for line in heard.of("delivered"):
        assert (line["tenant"], line["kind"], line["attempt"]) == ("acme", "application", 1)
        assert line["seconds"] >= 0
    assert {line["reference"] for line in heard.of("delivered")} == set(sent)


def test_sent_again_with_the_same_content_it_was_accepted_before(acme: Portal, heard: Hearing):
    with acme.browser() as client:
        form = Applicant(client)
        form.receipt()
        form.receipt()
    assert heard.story == ["accepted"]


def test_a_change_of_a_record_is_told_of_the_same_way(acme: Portal, ada: Visitor, heard: Hearing):
    ada.sign_in()
    confirm(ada, ada.form().press(firstName="Augusta"))
    acme.work.deliver_what_is_due()
    assert [line["kind"] for line in heard.of("accepted") + heard.of("delivered")] == ["record", "record"]


def test_what_is_turned_away_says_why(acme: Portal, heard: Hearing):
    with acme.browser() as client:
        form = Applicant(client)
        form.post(lastName="")
        form.post(headers={"Sec-Fetch-Site": "cross-site"})
        Applicant(client).receipt()
    assert [line["reason"] for line in heard.of("refused")] == ["form", "elsewhere"]
    assert heard.story == ["refused", "refused", "accepted"]


def test_a_pass_is_told_of_where_it_found_something(acme: Portal, heard: Hearing):
    from tests.site.apply.conftest import vacancy

    acme.parts.clock.pass_time(120)
    acme.work.mirror_what_is_due()
    assert heard.of("synced") == []
    acme.service.load("acme", [vacancy("job-2", "Fitter")])
    acme.parts.clock.pass_time(120)
    acme.work.mirror_what_is_due()
    (line,) = heard.of("synced")
    assert (line["tenant"], line["kind"], line["count"]) == ("acme", "vacancies", 1)


def test_every_event_has_a_name_that_is_a_word():
    assert all(one.value.replace("_", "").isalpha() for one in EventName)
