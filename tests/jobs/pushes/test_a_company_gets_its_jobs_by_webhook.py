"""A company's own website is notified, with a signature and once, of each job that opens, changes or closes."""

import socket
import threading
from pathlib import Path

import pytest

from portal.jobs.pushes import job_events
from portal.jobs.pushes.webhooks import reachable_from
from tests.jobs.pushes.engines import SearchEngines, run_search_engines
from tests.jobs.pushes.webhook import SECRET, WebhookScene, open_webhooks, verified
from tests.parts.process import free_port
from tests.site.browse.jobs import vacancy

DAY = 86_400


def test_each_opening_change_and_closing_of_a_job_is_sent_once(told: WebhookScene):
    assert told.events() == [], "what was open before is no news"
    told.publish(
        vacancy(
            "w1",
            "Welder",
            "<p>You weld the frames of our robots.</p>",
            client="Globex",
            salary={"currency": "EUR", "min": 1, "max": 2},
        )
    )
    (opened,) = told.events()
    base = told.acme.portal.parts.settings.base_url
    assert opened["type"] == "job.opened"
    assert opened["timestamp"].endswith("Z")
    assert opened["data"].pop("updatedAt") == opened["timestamp"]
    assert opened["data"] == {
        "tenant": "acme", "id": "w1", "title": "Welder", "url": f"{base}/acme/jobs/w1", "status": "open",
        "language": "en", "city": "Berlin", "region": None, "country": "DE", "employmentType": "fullTime",
        "locationType": "onsite", "client": "Globex", "closesAt": None,
        "salary": {"currency": "EUR", "min": 1.0, "max": 2.0, "unit": "YEAR"},
    }  # fmt: skip
    told.publish(vacancy("w1", "Master welder"))
    (changed,) = told.events()
    assert (changed["type"], changed["data"]["title"]) == ("job.changed", "Master welder")
    told.publish(vacancy("w1", "Master welder", stage="Filled"))
    (closed,) = told.events()
    assert closed["type"] == "job.closed"
    assert closed["data"] == {
        "tenant": "acme", "id": "w1", "title": "Master welder", "url": f"{base}/acme/jobs/w1", "status": "closed",
    }  # fmt: skip
    assert opened["timestamp"] < changed["timestamp"] < closed["timestamp"]
    told.check()
    told.publish(vacancy("w0", "Founder"))
    assert told.events() == []


def test_jobs_that_end_by_their_date_are_sent(told: WebhookScene):
    told.publish(vacancy("w1", "Welder", end="2026-07-20T00:00:00Z"))
    told.acme.clock.pass_time(60 * DAY)
    told.check()
    assert told.told() == [("job.opened", "w1"), ("job.closed", "w1")]


@pytest.mark.parametrize("status", [500, 404])
def test_an_event_that_was_rejected_is_sent_again_under_the_same_id(told: WebhookScene, status: int):
    told.heard.answers["/hook"] = (status, {})
    told.publish(vacancy("w1", "Welder"))
    (first,) = told.events()
    told.heard.answers.clear()
    told.acme.clock.pass_time(5_000)
    told.check()
    (second,) = told.events()
    assert first == second


def test_an_event_waits_for_an_unavailable_website(told: WebhookScene):
    port = free_port()
    told.write(told.table(port))
    told.publish(vacancy("w1", "Welder"))
    told.acme.clock.pass_time(200)
    with run_search_engines(port) as back:
        told.check()
        assert [verified(headers, body)["type"] for _, headers, body in back.came] == ["job.opened"]


@pytest.mark.verify
def test_an_event_is_sent_again_under_the_same_id_after_a_timeout(told: WebhookScene):
    came: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def hang() -> None:
            connection, _ = server.accept()
            with connection:
                while piece := connection.recv(65_536):
                    came.append(piece)

        thread = threading.Thread(target=hang)
        thread.start()
        told.write(told.table(server.getsockname()[1]))
        told.publish(vacancy("w1", "Welder"))
        thread.join()  # until the portal gave up
    told.write(told.table())
    told.acme.clock.pass_time(200)
    told.check()
    (event,) = told.events()
    assert event["webhook-id"].encode() in b"".join(came)


def test_an_event_leased_by_a_killed_worker_is_sent_by_another(told: WebhookScene):
    from portal.background.outbox.claim import claim
    from portal.background.outbox.retry_policy import Policy

    told.publish(vacancy("w1", "Welder"), vacancy("w2", "Cook"), deliver=False)
    database = told.acme.portal.parts.database
    assert len(claim(database, [job_events.KIND], Policy(), told.acme.clock.now(), most=2)) == 2
    told.restart_worker()
    told.check()
    assert told.events() == [], "the other still has them"
    told.acme.clock.pass_time(200)
    told.check()
    assert sorted(told.told()) == [("job.opened", "w1"), ("job.opened", "w2")]


def test_an_event_contains_all_changes_since_the_previous_one(told: WebhookScene):
    told.heard.answers["/hook"] = (503, {})
    told.publish(vacancy("w1", "Welder"), vacancy("w2", "Cook"))
    told.heard.came.clear()
    told.publish(vacancy("w1", "Master welder"), vacancy("w2", "Cook", stage="Filled"), deliver=False)
    told.heard.answers.clear()
    told.acme.clock.pass_time(5_000)
    told.check()
    (event,) = told.events()
    assert (event["type"], event["data"]["title"]) == ("job.opened", "Master welder")


def test_the_first_sync_of_jobs_sends_nothing(tmp_path: Path, heard: SearchEngines, portal_url: str):
    told = open_webhooks(tmp_path, heard, portal_url)
    told.check()
    assert told.events() == []
    told.publish(*[vacancy(f"w{n}", "Welder") for n in range(1, 151)], deliver=False)
    with told.acme.portal.parts.database.read() as connection:
        from portal.background.outbox.tables import outbox

        assert len(connection.execute(outbox.select()).all()) == 100, "many changes at once come in portions"
    told.check()
    told.check()
    assert sorted(told.told()) == sorted(("job.opened", f"w{n}") for n in range(1, 151))
    told.acme.portal.parts.close()


def test_a_deleted_website_gets_nothing_until_its_tenant_file_changes(told: WebhookScene):
    told.heard.answers["/hook"] = (410, {})
    told.publish(vacancy("w1", "Welder"), vacancy("w2", "Cook"))
    assert len(told.events()) == 1
    parts = told.acme.portal.parts
    fine, says = job_events.status_of(parts.database, parts.tenants.require("acme"), parts.clock.now())
    assert (fine, "410" in says) == (False, True)
    told.heard.answers.clear()
    told.publish(vacancy("w3", "Baker"))
    assert told.events() == []
    told.write(told.table().replace("/hook", "/hook?new"))
    told.check()
    assert "/hook?new" in {path for path, _, _ in told.heard.came}


@pytest.mark.parametrize("answer", [(302, {"Location": "/elsewhere"}), (401, {})])
def test_a_redirect_is_not_followed_and_a_rejection_is_reported(told: WebhookScene, answer: tuple[int, dict[str, str]]):
    told.heard.answers["/hook"] = answer
    told.publish(vacancy("w1", "Welder"))
    assert {path for path, _, _ in told.heard.came} == {"/hook"}
    parts = told.acme.portal.parts
    assert not job_events.status_of(parts.database, parts.tenants.require("acme"), parts.clock.now())[0]


def test_a_day_of_failures_is_reported_once(told: WebhookScene, caplog: pytest.LogCaptureFixture):
    told.heard.answers["/hook"] = (500, {})
    told.publish(vacancy("w1", "Welder"))
    for _ in range(6):
        told.acme.clock.pass_time(DAY / 3)
        told.check()
        told.restart_worker()
    reports = [line for line in caplog.messages if "webhook of acme: nothing has arrived for a day" in line]
    assert len(reports) == 1
    told.heard.answers.clear()
    told.acme.clock.pass_time(DAY)
    told.check()
    told.check()
    parts = told.acme.portal.parts
    assert job_events.status_of(parts.database, parts.tenants.require("acme"), parts.clock.now())[0]


def test_a_company_that_removes_its_webhook_gets_nothing_more(told: WebhookScene):
    told.publish(vacancy("w1", "Welder"), deliver=False)
    told.write("")
    told.check()
    told.publish(vacancy("w2", "Cook"))
    told.write(told.table())
    told.check()
    told.publish(vacancy("w3", "Baker"))
    assert told.told() == [("job.opened", "w3")]


@pytest.mark.parametrize(("away", "events"), [(60, [("job.closed", "w1")]), (2 * DAY, [])])
def test_sent_events_are_remembered_while_the_tenant_file_is_briefly_missing(
    told: WebhookScene, away: int, events: list[tuple[str, str]]
):
    told.publish(vacancy("w1", "Welder"))
    told.events()
    file = told.acme.portal.parts.settings.tenants / "acme.toml"
    text = file.read_text(encoding="utf-8")
    for _ in range(2):
        file.unlink(missing_ok=True)
        told.acme.clock.pass_time(away / 2)
        told.restart_worker()
        told.check()
    told.acme.clock.pass_time(2)
    told.check()
    file.write_text(text, encoding="utf-8")
    told.acme.clock.pass_time(2)
    told.publish(vacancy("w1", "Welder", stage="Filled"))
    assert told.told() == events


def test_both_secrets_sign_during_a_rotation(told: WebhookScene):
    key = bytes(range(1, 33))
    import base64

    (told.folder / "next").write_text("whsec_" + base64.b64encode(key).decode(), encoding="utf-8")
    told.write(told.table(more=f'former_secret = "file:{told.folder}/next"\n'))
    told.publish(vacancy("w1", "Welder"))
    ((_, headers, body),) = told.heard.came
    assert verified(headers, body) == verified(headers, body, key)


@pytest.mark.parametrize("address", ["http://127.0.0.1:{port}/hook", "https://[::1]/hook"])
def test_an_address_in_a_private_network_is_not_contacted(
    tmp_path: Path, heard: SearchEngines, portal_url: str, address: str, caplog: pytest.LogCaptureFixture
):
    told = open_webhooks(tmp_path, heard, portal_url, base_url="https://careers.example")
    told.write(told.table().replace(f"http://127.0.0.1:{heard.port}/hook", address.format(port=heard.port)))
    told.publish(vacancy("w1", "Welder"))
    assert heard.came == []
    assert "cannot be reached (ConnectError)" in caplog.text
    assert SECRET not in caplog.text
    told.acme.portal.parts.close()


def test_only_a_demo_on_this_machine_contacts_this_machine():
    outside, demo = reachable_from("https://careers.example"), reachable_from("http://127.0.0.1:8000")
    addresses = ["192.0.3.1", "127.0.0.1", "::1", "10.0.0.7", "169.254.169.254", "::ffff:10.0.0.7"]
    assert [address for address in addresses if outside(address)] == ["192.0.3.1"]
    assert [address for address in addresses if demo(address)] == ["192.0.3.1", "127.0.0.1", "::1"]
