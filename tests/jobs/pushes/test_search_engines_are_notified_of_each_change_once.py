"""If a company wants it, search engines are notified of each job that is new, changed or closed, once per change."""

import json

import pytest

from portal.jobs.pushes.changes import DAY
from tests.jobs.pushes.engines import KEY, PushScene, claims, unusable_key
from tests.site.browse.jobs import vacancy
from tests.site.feeds.scene import found_site


def test_a_new_job_a_change_and_a_closing_are_sent(telling):
    telling.publish(vacancy("w1", "Welder"), vacancy("w2", "Cook"), vacancy("d1", "Draft", stage="Draft"))
    assert telling.heard.told_google() == [("URL_UPDATED", "w1"), ("URL_UPDATED", "w2")]
    assert telling.heard.told_index_now() == ["w1", "w1?lang=de", "w2", "w2?lang=de"]
    telling.publish(vacancy("w1", "Master welder"))
    assert telling.heard.told_google() == [("URL_UPDATED", "w1")]
    telling.publish(vacancy("w1", "Master welder", stage="Filled"))
    assert telling.heard.told_google() == [("URL_DELETED", "w1")]
    assert telling.heard.told_index_now() == ["w1", "w1", "w1?lang=de", "w1?lang=de"]


def test_nothing_is_sent_twice(telling):
    telling.publish(vacancy("w1", "Welder"))
    assert telling.heard.came
    telling.heard.came.clear()
    for _ in range(3):
        telling.notify()
        telling.publish(vacancy("w1", "Welder"))
    assert telling.heard.came == []


def test_a_job_that_opens_and_closes_by_its_dates_is_sent(telling):
    telling.publish(vacancy("w1", "Welder", start="2026-06-10T00:00:00Z", end="2026-06-20T00:00:00Z"))
    assert telling.heard.told_google() == []
    telling.acme.clock.pass_time(12 * 86_400)
    telling.notify()
    assert telling.heard.told_google() == [("URL_UPDATED", "w1")]
    telling.acme.clock.pass_time(10 * 86_400)
    telling.notify()
    assert telling.heard.told_google() == [("URL_DELETED", "w1")]


def test_several_changes_of_a_queued_job_are_sent_once_with_the_latest_content(telling):
    telling.acme.publish(vacancy("w1", "Welder"), vacancy("w2", "Cook"))
    for title in ("a", "b", "c"):
        telling.acme.portal.work.queue_pushes()
        telling.acme.publish(vacancy("w1", title))
    telling.acme.publish(vacancy("w1", "c", stage="Filled"))
    telling.notify()
    assert telling.heard.told_google() == [("URL_DELETED", "w1"), ("URL_UPDATED", "w2")]


def test_google_gets_a_signed_assertion_and_one_token_serves_several_jobs(telling):
    telling.publish(vacancy("w1", "Welder"), vacancy("w2", "Cook"))
    [token] = [body for path, _, body in telling.heard.came if path == "/token"]
    said = claims(token)
    assert said["iss"] == "jobs@acme.example"
    assert said["scope"] == "https://www.googleapis.com/auth/indexing"
    assert said["exp"] - said["iat"] == 3_600
    assert said["iat"] == round(telling.acme.clock.now().timestamp())
    sent = [headers["Authorization"] for path, headers, _ in telling.heard.came if path == "/publish"]
    assert len(sent) == 2
    assert len(set(sent)) == 1
    telling.acme.clock.pass_time(3_301)
    telling.publish(vacancy("w1", "Master welder"))
    assert len([1 for path, _, _ in telling.heard.came if path == "/token"]) == 2


def test_indexnow_finds_its_key_on_the_site(telling):
    telling.publish(vacancy("w1", "Welder"))
    [said] = telling.heard.bodies("/indexnow")
    base = telling.acme.portal.parts.settings.base_url
    assert said["key"] == KEY
    assert said["host"] == base.partition("//")[2]
    assert said["urlList"] == [f"{base}/acme/jobs/w1", f"{base}/acme/jobs/w1?lang=de"]
    file = telling.acme.get(said["keyLocation"].removeprefix(base))
    assert (file.text, file.headers["X-Robots-Tag"]) == (KEY, "noindex")
    assert telling.acme.get("/acme/another-key.txt").status_code == 404


def test_nothing_is_sent_unless_the_company_configured_it(tmp_path, heard, portal_url):
    telling = PushScene(found_site(tmp_path, database_url=portal_url), heard)
    telling.publish(vacancy("w1", "Welder"))
    assert heard.came == []
    assert telling.acme.get(f"/acme/{KEY}.txt").status_code == 404
    telling.acme.portal.parts.close()


@pytest.mark.parametrize("jobs", [200, 201])
def test_google_gets_two_hundred_notifications_a_day_and_the_rest_follows(telling, jobs):
    lines = [vacancy(f"w{n}", "Welder") for n in range(jobs)]
    telling.publish(*lines)
    assert len(telling.heard.told_google()) == 200
    assert len(telling.heard.told_index_now()) == 2 * jobs  # IndexNow has no such limit
    telling.notify()
    telling.acme.clock.pass_time(DAY.total_seconds() - 1)
    telling.notify()
    assert telling.heard.told_google() == []
    telling.acme.clock.pass_time(2)
    telling.notify()
    assert len(telling.heard.told_google()) == jobs - 200


def test_closed_jobs_are_sent_before_new_ones(telling):
    telling.publish(*[vacancy(f"w{n}", "Welder") for n in range(200)])
    telling.heard.came.clear()
    closing = [vacancy(f"w{n}", "Welder", stage="Filled") for n in range(2)]
    telling.publish(*closing, *[vacancy(f"x{n}", "Cook") for n in range(200)])
    told = telling.heard.told_google()
    assert len(told) == 200
    assert [one for one in told if one[0] == "URL_DELETED"] == [("URL_DELETED", "w0"), ("URL_DELETED", "w1")]


@pytest.mark.parametrize(("status", "headers"), [(500, {}), (503, {}), (429, {"Retry-After": "120"})])
def test_an_unavailable_search_engine_is_notified_later(telling, status, headers):
    telling.heard.answers["/indexnow"] = (status, headers)
    telling.publish(vacancy("w1", "Welder"))
    assert telling.heard.told_index_now() == ["w1", "w1?lang=de"]
    assert telling.heard.told_google() == [("URL_UPDATED", "w1")]  # the other search engine is notified nevertheless
    telling.heard.answers.clear()
    telling.acme.clock.pass_time(200)
    telling.notify()
    assert telling.heard.told_index_now() == ["w1", "w1?lang=de"]


@pytest.mark.parametrize("answer", [(401, {}), (403, {}), (302, {"Location": "/elsewhere"})])
def test_a_search_engine_that_rejects_the_portal_delays_nothing_else(telling, answer):
    telling.heard.answers["/publish"] = telling.heard.answers["/token"] = answer
    telling.publish(vacancy("w1", "Welder"))
    assert telling.heard.told_index_now() == ["w1", "w1?lang=de"]
    assert not [one for one in telling.heard.came if one[0] == "/elsewhere"]
    telling.acme.publish(vacancy("w2", "Cook"))  # the sync continues, and so do all other deliveries
    telling.notify()
    assert telling.heard.told_index_now() == ["w2", "w2?lang=de"]


def test_an_invalid_account_file_is_named_without_its_content(telling, tmp_path, caplog):
    from portal.jobs.pushes import changes
    from portal.jobs.pushes.tables import Channel

    parts = telling.acme.portal.parts
    tenant = parts.tenants.require("acme")
    assert changes.status_of(parts.database, tenant, Channel.GOOGLE) == (True, "0 told lately, 0 waiting")
    secret = "MIIEvQ-not-a-key"
    account = json.loads((tmp_path / "google.json").read_text())
    (tmp_path / "google.json").write_text(json.dumps({**account, "private_key": secret}))
    telling.publish(vacancy("w1", "Welder"))
    assert telling.heard.told_google() == []
    assert "private_key is no RSA key" in caplog.text
    (tmp_path / "google.json").write_text(secret)
    telling.acme.clock.pass_time(200)
    telling.notify()
    fine, says = changes.status_of(parts.database, tenant, Channel.GOOGLE)
    assert not fine
    assert "google.json is not the JSON file of a service account" in says
    assert secret not in caplog.text + says


@pytest.mark.parametrize("kind", ["elliptic", "public", "encrypted", "empty"])
def test_an_account_with_an_unusable_key_is_rejected_without_showing_the_key(kind):
    from portal.jobs.pushes.search_engines import Account, assertion
    from portal.platform.errors import SettingsError

    text = unusable_key(kind)
    account = Account(client_email="jobs@acme.example", private_key=text, token_uri="https://google.example/token")
    with pytest.raises(SettingsError, match="private_key is no RSA key") as refused:
        assertion(account, 0)
    assert refused.value.__context__ is None


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('index_now = "short"', "expected a key of IndexNow"),
        ('index_now = "with_underscore"', "expected a key of IndexNow"),
        ('google = "/run/secrets/google.json"', 'expected "file:/path"'),
        ('google = "env:GOOGLE"', 'expected "file:/path"'),
        ('bing = "x"', "no such setting"),
    ],
)
def test_an_invalid_line_of_the_tenant_file_is_named(line, said):
    from portal.platform.errors import SettingsError
    from portal.tenants.toml import parse

    text = f'name = "A"\n[tracker]\nbase_url = "https://a.example"\napi_key = "env:X"\n[push]\n{line}\n'
    with pytest.raises(SettingsError, match=said) as refused:
        parse("acme", text, read_secret=lambda _: "k")
    assert "line 6: push." in str(refused.value)
