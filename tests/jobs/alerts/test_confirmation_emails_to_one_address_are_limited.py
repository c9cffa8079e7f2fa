"""The number of confirmation mails that strangers can cause to one address is limited."""

from collections.abc import Callable

import pytest
import sqlalchemy as sa

from portal.background.mails import quota
from portal.jobs.alerts import subscribing
from portal.jobs.alerts.subscribing import AlertFrequency, AlertSearch
from portal.jobs.alerts.tables import alerts
from tests.jobs.alerts.scene import DAY, EVE, Scene
from tests.site.account.candidate import Visitor, mailbox


def rows(acme: Scene) -> int:
    with acme.portal.parts.database.read() as connection:
        return connection.scalar(sa.select(sa.func.count()).select_from(alerts)) or 0


def test_one_network_causes_at_most_five_emails_a_day_with_the_same_response_each_time(acme: Scene):
    answers = [acme.ask(f"?q=word{n}") for n in range(quota.ALERTS_OF_NETWORK + 2)]
    assert {(one.status_code, one.headers["location"]) for one in answers} == {(303, "/acme/alerts/asked")}
    assert len(acme.work()) == quota.ALERTS_OF_NETWORK
    assert rows(acme) == quota.ALERTS_OF_NETWORK  # an alert without a confirmation email is not stored either
    acme.clock.pass_time(DAY + 1)
    acme.ask("?q=word9")
    assert len(acme.work()) == 1


def test_all_networks_together_cause_at_most_ten_emails_a_day(acme: Scene):
    parts = acme.portal.parts
    for n in range(quota.ALERTS + 2):
        subscribing.request_alert(
            parts.database,
            parts.seal,
            tenant=parts.tenants.require("acme"),
            email=EVE,
            search=AlertSearch(f"q=word{n}", f"“word{n}”"),
            every=AlertFrequency.DAY,
            locale="en",
            network=f"10.0.{n}.0/24",
            now=acme.clock.now(),
        )
    assert len(acme.work()) == quota.ALERTS


def test_the_same_alert_is_created_once_for_all_spellings_of_an_address(acme: Scene):
    acme.ask("?q=welder", EVE)
    acme.ask("?q=welder", EVE.upper())
    assert rows(acme) == 1


def test_an_alert_that_is_not_confirmed_within_a_week_is_deleted(acme: Scene):
    acme.ask("?q=welder")
    acme.clock.pass_time(7 * DAY - 1)
    acme.work()
    assert rows(acme) == 1
    acme.clock.pass_time(1)
    acme.work()
    assert rows(acme) == 0


def test_sign_in_codes_have_a_quota_of_their_own(acme: Scene):
    for n in range(quota.ALERTS_OF_NETWORK + 1):
        acme.ask(f"?q=word{n}")
    acme.work()
    acme.portal.work.index_what_is_due()
    Visitor(acme.portal).ask(EVE)
    assert len(acme.work()) == 0  # the visitor's own worker has sent it
    subjects = [one["Subject"] for one in mailbox(acme.portal)]
    assert subjects[-1] == "No profile at Acme Robotics"


WRONG: dict[str, Callable[[dict[str, str]], dict[str, str]]] = {
    "without a token": lambda form: {**form, "token": ""},
    "with a forged token": lambda form: {**form, "token": "x" + form["token"]},
    "without an address": lambda form: {**form, "email": ""},
    "with no address": lambda form: {**form, "email": "eve at people"},
}


@pytest.mark.parametrize("spoil", WRONG.values(), ids=WRONG)
def test_an_invalid_form_shows_its_errors_and_sends_nothing(
    acme: Scene, spoil: Callable[[dict[str, str]], dict[str, str]]
):
    visitor = Visitor(acme.portal)
    page = visitor.get("/alerts?q=welder")
    form = spoil({**page.hidden, "email": EVE, "every": "day"})
    answer = visitor.post("/alerts", page, **form)
    assert answer.status_code == 422
    assert "“welder”" in answer.text
    assert acme.work() == []
    assert rows(acme) == 0
