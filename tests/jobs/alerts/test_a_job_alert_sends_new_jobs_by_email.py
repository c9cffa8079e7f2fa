"""A job alert, from the request and its confirmation to the mails about new jobs and its end."""

from tests.jobs.alerts.scene import EVE, Scene, link
from tests.site.account.candidate import mailbox, text
from tests.site.browse.jobs import vacancy


def test_a_person_subscribes_confirms_gets_jobs_and_unsubscribes(acme: Scene):
    assert acme.ask("?q=welder").status_code == 303
    (asks,) = acme.work()
    assert asks["To"] == EVE
    assert "welder" not in text(asks)  # the email contains nothing that the requester typed
    acme.publish(vacancy("job-3", "Second welder"))
    assert acme.pass_days(2) == []  # nothing is sent before the request is confirmed
    path = link(asks, "/alerts/")
    assert "Yes, email me new jobs" in acme.open(path).text
    assert acme.press(path).status_code == 303
    assert acme.pass_days(2) == []  # jobs that were open at the confirmation are not new
    acme.publish(vacancy("job-4", "Third welder"), vacancy("job-5", "Gardener"))
    (news,) = acme.pass_days(1)
    assert news["To"] == EVE
    assert news["Subject"] == "New job at Acme Robotics: Third welder"
    assert "/acme/jobs/job-4" in text(news)
    assert "Gardener" not in text(news)
    assert "job-1" not in text(news)
    assert acme.pass_days(3) == []  # no job is sent twice, and no email without jobs
    end = link(news, "/end")
    assert "Press the button" in acme.open(end).text
    acme.publish(vacancy("job-6", "Fourth welder"))
    assert len(acme.pass_days(1)) == 1  # opening the page does not end the alert
    assert acme.press(end, "end").status_code == 200
    acme.publish(vacancy("job-7", "Fifth welder"))
    assert acme.pass_days(10) == []
    assert "This alert has ended" in acme.open(end).text
    assert len(mailbox(acme.portal)) == 3
