"""/metrics shows waiting and failed deliveries and open breakers, to this machine or with the token."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.delivery.scene import RETRY_BASE, Scene
from tests.delivery.service import refused, taken
from tests.parts.misbehaving import answer


def asked(here: Scene, peer: str = "127.0.0.1", **headers: str):
    return here.app.test_client().get("/metrics", headers=headers, environ_overrides={"REMOTE_ADDR": peer})


def figures(here: Scene) -> dict[tuple[str, str], float]:
    response = asked(here)
    assert response.status_code == 200
    assert response.content_type.startswith("text/plain; version=")
    return {
        (sample.name, "".join(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(response.text)
        for sample in family.samples
    }


def test_metrics_report_what_waits_and_for_how_long(here: Scene):
    assert figures(here)["portal_submissions_oldest_undelivered_seconds", ""] == 0
    here.acme.down()
    here.apply()
    here.deliver(after=500)
    seen = figures(here)
    assert seen["portal_submissions", "retry"] == 1
    assert 500 <= seen["portal_submissions_oldest_undelivered_seconds", ""] < 510
    here.acme.up()
    here.deliver(after=RETRY_BASE * 2)
    seen = figures(here)
    assert (seen["portal_submissions", "retry"], seen["portal_submissions", "delivered"]) == (0, 1)
    assert seen["portal_submissions_oldest_undelivered_seconds", ""] == 0


def test_metrics_report_for_how_long_a_delivery_could_have_been_sent(here: Scene):
    mine = ("portal_queue_due_seconds", "applicationacme")
    assert mine not in figures(here)
    here.apply()
    here.apply("grace", tenant="globex")
    here.clock.pass_time(400)
    assert 400 <= figures(here)[mine] < 410
    here.acme.down()
    here.deliver()
    here.clock.pass_time(400)  # its next attempt is due, but the service is unavailable
    assert figures(here)[mine] == 0
    assert figures(here)["portal_queue_due_seconds", "applicationglobex"] == 0


def test_metrics_report_whose_breaker_is_open(here: Scene):
    here.acme.plan(refused(answer(status=401)))
    here.apply()
    here.deliver()
    seen = figures(here)
    assert (seen["portal_breaker_open", "acme"], seen["portal_breaker_open", "globex"]) == (1, 0)
    assert seen["portal_lane_rest_seconds", "acme"] > 0
    here.acme.plan(taken())
    here.deliver(after=RETRY_BASE * 20 + 1)
    assert figures(here)["portal_breaker_open", "acme"] == 0


def test_metrics_report_the_age_of_the_synced_jobs(here: Scene):
    here.clock.pass_time(1_000)
    assert 1_000 <= figures(here)["portal_mirror_age_seconds", "acme"] < 1_010


@pytest.mark.parametrize("peer", ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_requests_from_the_same_machine_are_allowed(here: Scene, peer: str):
    assert asked(here, peer).status_code == 200


@pytest.mark.parametrize("peer", ["192.0.2.1", "10.0.0.1", "2001:db8::1", ""])
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_requests_from_other_machines_are_refused(here: Scene, peer: str):
    refusal = asked(here, peer, Authorization="Bearer ")
    assert refusal.status_code == 403
    assert "portal_" not in refusal.text


@pytest.mark.parametrize("here", [{"metrics_token": "a-token-for-tests"}], indirect=True)
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_requests_with_the_token_are_allowed_from_anywhere(here: Scene):
    assert asked(here, "192.0.2.1", Authorization="Bearer a-token-for-tests").status_code == 200
    for wrong in ("Bearer a-token", "Basic a-token-for-tests", "Bearer ä", ""):
        refusal = asked(here, "192.0.2.1", Authorization=wrong)
        assert refusal.status_code == 401
        assert refusal.headers["WWW-Authenticate"] == "Bearer"
    assert asked(here).status_code == 200


@pytest.mark.parametrize("here", [{"trusted_proxies": 1}], indirect=True)
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_behind_a_proxy_requests_need_the_token(here: Scene):
    through = asked(here, "127.0.0.1", **{"X-Forwarded-For": "192.0.2.1"})
    around = asked(here, "192.0.2.1", **{"X-Forwarded-For": "127.0.0.1"})
    assert (through.status_code, around.status_code, asked(here).status_code) == (403, 403, 403)


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize("header", ["X-Forwarded-For", "X-Forwarded-Host", "Forwarded"])
def test_requests_with_forwarding_headers_need_the_token_even_without_a_configured_proxy(here: Scene, header: str):
    assert asked(here, "127.0.0.1", **{header: "127.0.0.1"}).status_code == 403


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize("host", ["careers.example", "127.0.0.1.evil.example:8000", "192.0.2.1:8000", "[", ""])
def test_a_proxy_without_forwarding_headers_is_detected_by_the_host_name(here: Scene, host: str):
    assert asked(here, Host=host).status_code in {403, 404, 421}
    assert "parts" not in here.app.test_client().get("/readyz", headers={"Host": host}).text


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "LOCALHOST", "[::1]:8000"])
def test_every_name_of_the_same_machine_is_allowed(here: Scene, host: str):
    assert asked(here, Host=host).status_code == 200
    assert "parts" in here.app.test_client().get("/readyz", headers={"Host": host}).json


@pytest.mark.parametrize("here", [{"base_url": "https://careers.example"}], indirect=True)
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_https_reveals_a_proxy_without_forwarding_headers(here: Scene):
    assert asked(here).status_code == 403
    assert "parts" not in here.app.test_client().get("/readyz").text
