"""Each mail contains the jobs that opened since the last one, despite restarts, closings and new secret keys."""

import pytest

from portal.app import create_app
from portal.jobs.alerts.sending import LISTED
from portal.platform.crypto.sealing import Seal
from portal.worker import WorkerThreads
from tests.jobs.alerts.scene import EVE, FILE, Scene, at_berlin
from tests.site.account.candidate import text
from tests.site.browse.jobs import vacancy


def test_a_job_published_long_after_its_creation_is_new_when_it_opens(acme: Scene):
    acme.publish(vacancy("job-8", "Welder in waiting", stage="Draft", created="2020-01-01T08:00:00Z"))
    acme.publish(vacancy("job-9", "Welder of July", start="2026-07-01T08:00:00Z"))
    acme.subscribe("?q=welder")
    assert acme.pass_days(2) == []
    acme.publish(vacancy("job-8", "Welder in waiting", created="2020-01-01T08:00:00Z"))
    (one,) = acme.pass_days(1)
    assert "job-8" in text(one)
    assert "job-9" not in text(one)
    came = acme.pass_days(30)
    assert ["job-9" in text(letter) for letter in came] == [True]


def test_a_job_that_closes_and_opens_again_is_sent_once(acme: Scene):
    acme.subscribe("?q=welder")
    acme.publish(vacancy("job-9", "Welder of the night"))
    assert len(acme.pass_days(1)) == 1
    acme.publish(vacancy("job-9", "Welder of the night", stage="Filled"))
    assert acme.pass_days(1) == []
    acme.publish(vacancy("job-9", "Welder of the night, again"))
    assert acme.pass_days(2) == []


def test_a_job_that_has_closed_in_the_meantime_is_not_sent(acme: Scene):
    acme.subscribe("?q=welder")
    acme.publish(vacancy("job-9", "Welder of the night"))
    acme.publish(vacancy("job-9", "Welder of the night", stage="Filled"))
    assert acme.pass_days(2) == []


def test_a_weekly_alert_sends_one_email_a_week_with_all_new_jobs(acme: Scene):
    path = acme.subscribe("?q=welder", every="week")
    acme.press(path, every="week")
    for n in range(3):
        acme.publish(vacancy(f"new-{n}", f"Welder {n}"))
        assert acme.pass_days(1) == []
    (letter,) = acme.pass_days(5)
    assert all(f"new-{n}" in text(letter) for n in range(3))


def test_emails_arrive_in_the_morning_of_the_companys_time_zone(acme: Scene):
    acme.subscribe("?q=welder")
    acme.publish(vacancy("job-9", "Welder of the night"))
    came = []
    for _ in range(48):
        acme.clock.pass_time(1800)
        came += acme.work()
    (letter,) = came
    assert at_berlin(letter) in {7, 8, 9}


@pytest.mark.parametrize("count", [LISTED, LISTED + 1])
def test_an_email_lists_ten_jobs_and_says_that_there_are_more(acme: Scene, count: int):
    acme.subscribe("?q=welder")
    acme.publish(*(vacancy(f"new-{n}", f"Welder {n}") for n in range(count)))
    (letter,) = acme.pass_days(1)
    assert text(letter).count("/acme/jobs/new-") == LISTED
    assert ("There are more" in text(letter)) == (count > LISTED)
    assert "/acme/?q=welder" in text(letter)
    assert acme.pass_days(2) == []


def test_location_and_filters_narrow_an_alert_as_they_narrow_the_list(acme: Scene):
    acme.publish(vacancy("old", "Cook", type="partTime"))
    acme.subscribe("?city=Bonn&employmentType=partTime")
    acme.publish(vacancy("in-berlin", "Cook", type="partTime"), vacancy("full", "Cook", city="Bonn"))
    assert acme.pass_days(1) == []
    acme.publish(vacancy("both", "Cook", city="Bonn", type="partTime"))
    (letter,) = acme.pass_days(1)
    assert "/jobs/both" in text(letter)


def test_an_unknown_filter_finds_nothing_instead_of_everything(acme: Scene):
    from portal.jobs.alerts.subscribing import AlertSearch, sealed
    from portal.jobs.alerts.tables import alerts

    acme.subscribe("?city=Bonn")
    parts = acme.portal.parts
    gone = sealed(parts.seal, EVE, AlertSearch("city=Atlantis", "Atlantis"))
    with parts.database.write() as connection:
        connection.execute(alerts.update().values(sealed=gone))
    acme.publish(vacancy("job-9", "Welder", city="Bonn"))
    assert acme.pass_days(1) == []


def test_nothing_is_sent_or_lost_while_the_tenant_file_is_missing(acme: Scene):
    acme.subscribe("?q=welder")
    acme.publish(vacancy("job-9", "Welder of the night"))
    file = acme.portal.parts.settings.tenants / "acme.toml"
    kept = file.read_text()
    file.unlink()
    acme.clock.pass_time(60)
    assert acme.pass_days(2) == []
    file.write_text(kept)
    acme.clock.pass_time(60)
    (letter,) = acme.pass_days(1)
    assert "job-9" in text(letter)


def test_another_rule_for_posting_ids_makes_no_job_new(acme: Scene):
    acme.subscribe()
    acme.portal.write_tenant("acme", "Acme Robotics", FILE.replace('["Open"]', '["Open", "Filled"]'))
    acme.clock.pass_time(120)
    acme.portal.work.mirror_what_is_due()
    assert acme.pass_days(2) == []


def test_a_new_secret_key_loses_no_alert_and_old_emails_still_end_it(acme: Scene):
    path = acme.subscribe("?q=welder")
    parts = acme.portal.parts
    both = Seal("another secret of more than sixteen", [parts.settings.secret_key])
    parts.seal = both
    acme.portal.work = WorkerThreads(parts)
    acme.publish(vacancy("job-9", "Welder of the night"))
    assert len(acme.pass_days(1)) == 1
    # The jobs that were sent are recorded with the new key from here on.
    parts.seal = Seal("another secret of more than sixteen")
    acme.portal.work = WorkerThreads(parts)
    acme.publish(vacancy("job-10", "Welder of the day"))
    assert len(acme.pass_days(1)) == 1
    parts.seal = both
    acme.portal.app = create_app(parts)
    assert acme.press(path, "end").status_code == 200
    assert "ended" in acme.open(path).text


def test_a_secret_key_missing_for_a_day_ends_no_alert(acme: Scene):
    acme.subscribe("?q=welder")
    parts, right = acme.portal.parts, acme.portal.work
    parts.seal = Seal("a secret that nothing was sealed with")
    acme.portal.work = WorkerThreads(parts)
    acme.publish(vacancy("job-9", "Welder of the night"))
    assert acme.pass_days(1) == []
    acme.portal.work = right
    (letter,) = acme.pass_days(2)
    assert "job-9" in text(letter)


def test_an_unreadable_alert_does_not_stop_the_others(acme: Scene):
    from portal.jobs.alerts.tables import alerts

    acme.subscribe("?q=welder")
    with acme.portal.parts.database.write() as connection:
        connection.execute(alerts.update().values(sealed="damaged"))
    acme.subscribe("?q=welder", "bob@people.example")
    acme.publish(vacancy("job-9", "Welder of the night"))
    (letter,) = acme.pass_days(1)
    assert letter["To"] == "bob@people.example"
