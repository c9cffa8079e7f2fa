"""Workers claim alerts in the database, so that several at a time send each mail once."""

from concurrent.futures import ThreadPoolExecutor

from portal.jobs.alerts.sending import AlertSender
from portal.site.alerts.views import parse_saved_search
from portal.worker import WorkerThreads
from tests.jobs.alerts.scene import DAY, Scene
from tests.site.browse.jobs import vacancy


def test_two_concurrent_workers_send_one_email(acme: Scene):
    for n in range(4):
        acme.subscribe("?q=welder", f"eve{n}@people.example")
    acme.publish(vacancy("job-9", "Welder of the night"))
    acme.clock.pass_time(DAY)
    workers = [acme.portal.work, WorkerThreads(acme.portal.parts), WorkerThreads(acme.portal.parts)]
    with ThreadPoolExecutor(3) as pool:
        told = list(pool.map(lambda one: one.queue_job_alerts(), workers))
    assert sum(told) == 4
    assert len(acme.work()) == 4


def test_more_alerts_than_one_query_reads_are_sent_in_one_run(acme: Scene):
    for n in range(5):
        acme.subscribe("?q=welder", f"eve{n}@people.example")
    acme.publish(vacancy("job-9", "Welder of the night"))
    acme.clock.pass_time(DAY)
    parts = acme.portal.parts
    sender = AlertSender(parts.database, parts.seal, parts.tenants, parts.clock, parse_saved_search, at_once=2)
    assert sender.queue_due() == 5
