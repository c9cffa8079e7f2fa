"""An alert ends by one click in a mail program, by a button, by erasure, or when it expires."""

import re
from datetime import timedelta

import sqlalchemy as sa

from portal.background.mails.tables import letters
from portal.jobs.alerts import subscribing
from portal.jobs.alerts.tables import alerts
from tests.jobs.alerts.scene import DAY, Scene, link
from tests.site.account.candidate import ADA, Visitor, candidate, mailbox, text
from tests.site.browse.jobs import vacancy

LASTS = subscribing.LASTS / timedelta(days=1)


def rows(acme: Scene) -> int:
    with acme.portal.parts.database.read() as connection:
        return connection.scalar(sa.select(sa.func.count()).select_from(alerts)) or 0


def news(acme: Scene):
    acme.publish(vacancy("job-9", "Welder of the night"))
    (letter,) = acme.pass_days(1)
    return letter


def test_a_mail_provider_ends_an_alert_with_one_post_without_a_cookie(acme: Scene):
    acme.subscribe("?q=welder")
    letter = news(acme)
    assert letter["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    address = letter["List-Unsubscribe"].removeprefix("<").removesuffix(">")
    assert address in text(letter)
    with acme.portal.browser(Origin="https://mail.example", **{"Sec-Fetch-Site": "cross-site"}) as provider:
        answer = provider.post(address, data={"List-Unsubscribe": "One-Click"})
    assert answer.status_code == 200
    assert rows(acme) == 0
    with acme.portal.browser() as provider:
        assert provider.post(address, data={"List-Unsubscribe": "One-Click"}).status_code == 200  # repeated


def test_the_unsubscribe_header_is_complete_in_what_is_sent(acme: Scene):
    acme.subscribe("?q=welder")
    news(acme)
    newest = max((acme.portal.folder / "mail").glob("*.eml"), key=lambda path: path.stat().st_mtime_ns)
    assert re.search(
        rb"\r\nList-Unsubscribe: <http://careers\.example/acme/alerts/[0-9a-f]{32}/end\?key=[0-9a-f]{64}>\r\n",
        newest.read_bytes(),
    )


def test_an_alert_cannot_be_read_renewed_or_ended_without_the_key_in_its_emails(acme: Scene):
    path = acme.subscribe("?q=welder")
    alert = path.partition("?")[0]
    for way in (f"{alert}?key=", f"{alert}?key={'0' * 64}", alert, f"{alert}/end?key={'0' * 64}"):
        with acme.portal.browser() as browser:
            assert browser.get(way).status_code == 404
            assert browser.post(way.replace("/end", "").replace("?", "/end?")).status_code in {404, 405}
    assert rows(acme) == 1


def test_an_email_that_waits_to_be_sent_is_not_sent_after_the_alert_ended(acme: Scene):
    path = acme.subscribe("?q=welder")
    acme.publish(vacancy("job-9", "Welder of the night"))
    acme.clock.pass_time(DAY)
    assert acme.portal.work.queue_job_alerts() == 1
    acme.press(path, "end")
    before = len(mailbox(acme.portal))
    acme.portal.work.deliver_what_is_due()
    assert len(mailbox(acme.portal)) == before


def test_an_alert_is_part_of_the_personal_data_and_is_erased_with_it(acme: Scene):
    acme.subscribe("?q=welder", ADA.upper())
    acme.subscribe("?q=baker", ADA)
    acme.subscribe("?q=welder", "bob@people.example")
    acme.portal.service.load("acme", [candidate()])
    acme.clock.pass_time(120)
    acme.portal.work.index_what_is_due()
    ada = Visitor(acme.portal)
    ada.sign_in()
    shown = ada.client.get("/acme/profile/data.json").json()["alerts"]
    assert {(one["search"], one["every"]) for one in shown} == {("“welder”", "day"), ("“baker”", "day")}
    assert "“welder”" in ada.get("/profile/data").text
    assert ada.post("/profile/erase", ada.get("/profile/erase")).status_code == 200
    assert rows(acme) == 1


def test_an_alert_expires_after_six_months_with_a_notice_a_week_before(acme: Scene):
    path = acme.subscribe("?q=welder")
    acme.clock.pass_time((LASTS - 7) * DAY - 60)
    assert acme.work() == []
    acme.clock.pass_time(60)
    (last,) = acme.work()
    assert "is ending" in last["Subject"]
    assert acme.work() == []
    acme.clock.pass_time(7 * DAY - 60)
    acme.work()
    assert rows(acme) == 1
    acme.clock.pass_time(60)
    acme.work()
    assert rows(acme) == 0
    assert "This alert has ended" in acme.open(path).text


def test_the_notice_can_renew_the_alert(acme: Scene):
    acme.subscribe("?q=welder")
    acme.clock.pass_time((LASTS - 7) * DAY)
    (last,) = acme.work()
    assert acme.press(link(last, "/alerts/")).status_code == 303
    acme.clock.pass_time((LASTS - 7) * DAY - 60)
    assert acme.work() == []
    acme.clock.pass_time(60)
    assert len(acme.work()) == 1


def test_the_notice_is_sent_a_week_before_even_if_no_worker_ran_for_a_year(acme: Scene):
    acme.subscribe("?q=welder")
    acme.clock.pass_time(20 * DAY + LASTS * DAY)
    (last,) = acme.work()
    assert "is ending" in last["Subject"]
    acme.clock.pass_time(6 * DAY)
    acme.work()
    assert rows(acme) == 1


def test_the_database_contains_no_personal_data_in_clear(acme: Scene):
    acme.subscribe("?q=welderess")
    with acme.portal.parts.database.read() as connection:
        kept = repr([connection.execute(sa.select(table)).all() for table in (alerts, letters)]).lower()
    assert "eve@" not in kept
    assert "welderess" not in kept
