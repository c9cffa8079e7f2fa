"""The log has two events for a normal application: accepted and delivered."""

from collections import Counter

from portal.platform.logs import EventName
from tests.builders import Portal
from tests.platform.logs.log_reader import LogReader
from tests.site.account.candidate import Visitor
from tests.site.account.test_a_candidate_changes_her_profile import confirm
from tests.site.apply.applicant import Applicant

PEOPLE = 15


def test_an_application_is_logged_once_as_accepted_and_once_as_delivered(acme: Portal, log_reader: LogReader):
    sent: dict[str, str] = {}
    for number in range(PEOPLE):
        with acme.browser() as client:
            answer = Applicant(client).post(email=f"person-{number}@people.example")
            sent[answer.headers["location"].rpartition("/")[2]] = answer.headers["x-request-id"]
    acme.work.deliver_what_is_due()
    assert len(sent) == PEOPLE
    assert Counter(log_reader.story) == {"accepted": PEOPLE, "delivered": PEOPLE}
    assert {line["reference"]: line["request"] for line in log_reader.of("accepted")} == sent
    for line in log_reader.of("delivered"):
        assert (line["tenant"], line["kind"], line["attempt"]) == ("acme", "application", 1)
        assert line["seconds"] >= 0
    assert {line["reference"] for line in log_reader.of("delivered")} == set(sent)


def test_a_duplicate_application_is_logged_as_accepted_before(acme: Portal, log_reader: LogReader):
    with acme.browser() as client:
        form = Applicant(client)
        form.receipt()
        form.receipt()
    assert log_reader.story == ["accepted"]


def test_a_profile_change_is_logged_the_same_way(acme: Portal, ada: Visitor, log_reader: LogReader):
    ada.sign_in()
    confirm(ada, ada.form().press(firstName="Augusta"))
    acme.work.deliver_what_is_due()
    assert [line["kind"] for line in log_reader.of("accepted") + log_reader.of("delivered")] == ["record", "record"]


def test_rejected_forms_are_logged_with_the_reason(acme: Portal, log_reader: LogReader):
    with acme.browser() as client:
        form = Applicant(client)
        form.post(lastName="")
        form.post(headers={"Sec-Fetch-Site": "cross-site"})
        Applicant(client).receipt()
    assert [line["reason"] for line in log_reader.of("refused")] == ["form", "elsewhere"]
    assert log_reader.story == ["refused", "refused", "accepted"]


def test_sync_passes_are_logged_only_if_they_found_changes(acme: Portal, log_reader: LogReader):
    from tests.site.apply.conftest import vacancy

    acme.parts.clock.pass_time(120)
    acme.work.mirror_what_is_due()
    assert log_reader.of("synced") == []
    acme.service.load("acme", [vacancy("job-2", "Fitter")])
    acme.parts.clock.pass_time(120)
    acme.work.mirror_what_is_due()
    (line,) = log_reader.of("synced")
    assert (line["tenant"], line["kind"], line["count"]) == ("acme", "vacancies", 1)


def test_event_names_consist_of_letters():
    assert all(one.value.replace("_", "").isalpha() for one in EventName)
