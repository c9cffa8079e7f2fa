"""A company that wants it has search engines told of each job that is new, changed or closed: once a change."""

import json

import pytest

from portal.jobs.pushes.changes import DAY
from tests.jobs.pushes.engines import KEY, Telling, claims, unusable_key
from tests.site.browse.jobs import vacancy
from tests.site.feeds.scene import found_site


def test_a_new_job_a_change_and_an_end_are_told(telling):
    telling.publish(vacancy("w1", "Welder"), vacancy("w2", "Cook"), vacancy("d1", "Draft", stage="Draft"))
    assert telling.heard.told_google() == [("URL_UPDATED", "w1"), ("URL_UPDATED", "w2")]
    assert telling.heard.told_index_now() == ["w1", "w1?lang=de", "w2", "w2?lang=de"]
    telling.publish(vacancy("w1", "Master welder"))
    assert telling.heard.told_google() == [("URL_UPDATED", "w1")]
    telling.publish(vacancy("w1", "Master welder", stage="Filled"))
    assert telling.heard.told_google() == [("URL_DELETED", "w1")]
    assert telling.heard.told_index_now() == ["w1", "w1", "w1?lang=de", "w1?lang=de"]


def test_nothing_is_told_twice(telling):
    telling.publish(vacancy("w1", "Welder"))
    assert telling.heard.came
    telling.heard.came.clear()
    for _ in range(3):
        telling.notify()
        telling.publish(vacancy("w1", "Welder"))
    assert telling.heard.came == []


def test_a_job_that_begins_and_ends_by_its_dates_is_told(telling):
    telling.publish(vacancy("w1", "Welder", start="2026-06-10T00:00:00Z", end="2026-06-20T00:00:00Z"))
    assert telling.heard.told_google() == []
    telling.acme.clock.pass_time(12 * 86_400)
    telling.notify()
    assert telling.heard.told_google() == [("URL_UPDATED", "w1")]
    telling.acme.clock.pass_time(10 * 86_400)
    telling.notify()
    assert telling.heard.told_google() == [("URL_DELETED", "w1")]


def test_what_changed_often_while_it_waited_is_told_once_as_it_is(telling):
    telling.acme.publish(vacancy("w1", "Welder"), vacancy("w2", "Cook"))
    for title in ("a", "b", "c"):
        telling.acme.portal.work.notice_what_to_push()
        telling.acme.publish(vacancy("w1", title))
    telling.acme.publish(vacancy("w1", "c", stage="Filled"))
    telling.notify()
    assert telling.heard.told_google() == [("URL_DELETED", "w1"), ("URL_UPDATED", "w2")]


def test_google_is_shown_a_signed_claim_and_a_token_serves_several_jobs(telling):
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


def test_index_now_finds_its_key_at_the_site(telling):
    telling.publish(vacancy("w1", "Welder"))
    [said] = telling.heard.bodies("/indexnow")
    base = telling.acme.portal.parts.settings.base_url
    assert said["key"] == KEY
    assert said["host"] == base.partition("//")[2]
    assert said["urlList"] == [f"{base}/acme/jobs/w1", f"{base}/acme/jobs/w1?lang=de"]
    file = telling.acme.get(said["keyLocation"].removeprefix(base))
    assert (file.text, file.headers["X-Robots-Tag"]) == (KEY, "noindex")
    assert telling.acme.get("/acme/another-key.txt").status_code == 404


def test_who_did_not_ask_for_it_tells_nobody(tmp_path, heard, portal_url):
    telling = Telling(found_site(tmp_path, database_url=portal_url), heard)
    telling.publish(vacancy("w1", "Welder"))
    assert heard.came == []
    assert telling.acme.get(f"/acme/{KEY}.txt").status_code == 404
    telling.acme.portal.parts.close()


@pytest.mark.parametrize("jobs", [200, 201])
def test_google_is_told_two_hundred_a_day_and_the_rest_follows(telling, jobs):
    lines = [vacancy(f"w{n}", "Welder") for n in range(jobs)]
    telling.publish(*lines)
    assert len(telling.heard.told_google()) == 200
    assert len(telling.heard.told_index_now()) == 2 * jobs  # it has no such limit
    telling.notify()
    telling.acme.clock.pass_time(DAY.total_seconds() - 1)
    telling.notify()
    assert telling.heard.told_google() == []
    telling.acme.clock.pass_time(2)
    telling.notify()
    assert len(telling.heard.told_google()) == jobs - 200


def test_what_closed_is_told_before_what_is_new(telling):
    telling.publish(*[vacancy(f"w{n}", "Welder") for n in range(200)])
    telling.heard.came.clear()
    closing = [vacancy(f"w{n}", "Welder", stage="Filled") for n in range(2)]
    telling.publish(*closing, *[vacancy(f"x{n}", "Cook") for n in range(200)])
    told = telling.heard.told_google()
    assert len(told) == 200
    assert [one for one in told if one[0] == "URL_DELETED"] == [("URL_DELETED", "w0"), ("URL_DELETED", "w1")]


@pytest.mark.parametrize(("status", "headers"), [(500, {}), (503, {}), (429, {"Retry-After": "120"})])
def test_an_engine_that_cannot_now_is_told_later(telling, status, headers):
    telling.heard.answers["/indexnow"] = (status, headers)
    telling.publish(vacancy("w1", "Welder"))
    assert telling.heard.told_index_now() == ["w1", "w1?lang=de"]
    assert telling.heard.told_google() == [("URL_UPDATED", "w1")]  # the other is told all the same
    telling.heard.answers.clear()
    telling.acme.clock.pass_time(200)
    telling.notify()
    assert telling.heard.told_index_now() == ["w1", "w1?lang=de"]


@pytest.mark.parametrize("answer", [(401, {}), (403, {}), (302, {"Location": "/elsewhere"})])
def test_an_engine_that_refuses_us_holds_up_nobody(telling, answer):
    telling.heard.answers["/publish"] = telling.heard.answers["/token"] = answer
    telling.publish(vacancy("w1", "Welder"))
    assert telling.heard.told_index_now() == ["w1", "w1?lang=de"]
    assert not [one for one in telling.heard.came if one[0] == "/elsewhere"]
    telling.acme.publish(vacancy("w2", "Cook"))  # the mirror goes on, and so does every other lane
    telling.notify()
    assert telling.heard.told_index_now() == ["w2", "w2?lang=de"]


def test_an_account_file_that_is_none_is_named_and_its_content_is_not(telling, tmp_path, caplog):
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
def test_an_account_whose_key_cannot_sign_is_refused_and_its_key_is_not_shown(kind):
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
def test_a_wrong_line_in_the_tenant_file_is_named(line, said):
    from portal.platform.errors import SettingsError
    from portal.tenants.toml import parse

    text = f'name = "A"\n[tracker]\nbase_url = "https://a.example"\napi_key = "env:X"\n[push]\n{line}\n'
    with pytest.raises(SettingsError, match=said) as refused:
        parse("acme", text, read_secret=lambda _: "k")
    assert "line 6: push." in str(refused.value)
