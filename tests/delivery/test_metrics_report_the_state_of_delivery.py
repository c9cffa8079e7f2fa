"""/metrics shows waiting and failed deliveries and open breakers, to this machine or with the token."""

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.delivery.scene import RETRY_BASE, Scene
from tests.delivery.service import refused, taken
from tests.parts.misbehaving import answer


def asked(scene: Scene, peer: str = "127.0.0.1", **headers: str):
    return scene.app.test_client().get("/metrics", headers=headers, environ_overrides={"REMOTE_ADDR": peer})


def figures(scene: Scene) -> dict[tuple[str, str], float]:
    response = asked(scene)
    assert response.status_code == 200
    assert response.content_type.startswith("text/plain; version=")
    return {
        (sample.name, "".join(sample.labels.values())): sample.value
        for family in text_string_to_metric_families(response.text)
        for sample in family.samples
    }


def test_metrics_report_what_waits_and_for_how_long(scene: Scene):
    assert figures(scene)["portal_submissions_oldest_undelivered_seconds", ""] == 0
    scene.acme.down()
    scene.apply()
    scene.deliver(after=500)
    seen = figures(scene)
    assert seen["portal_submissions", "retry"] == 1
    assert 500 <= seen["portal_submissions_oldest_undelivered_seconds", ""] < 510
    scene.acme.up()
    scene.deliver(after=RETRY_BASE * 2)
    seen = figures(scene)
    assert (seen["portal_submissions", "retry"], seen["portal_submissions", "delivered"]) == (0, 1)
    assert seen["portal_submissions_oldest_undelivered_seconds", ""] == 0


def test_metrics_report_for_how_long_a_delivery_could_have_been_sent(scene: Scene):
    mine = ("portal_queue_due_seconds", "applicationacme")
    assert mine not in figures(scene)
    scene.apply()
    scene.apply("grace", tenant="globex")
    scene.clock.pass_time(400)
    assert 400 <= figures(scene)[mine] < 410
    scene.acme.down()
    scene.deliver()
    scene.clock.pass_time(400)  # its next attempt is due, but the service is unavailable
    assert figures(scene)[mine] == 0
    assert figures(scene)["portal_queue_due_seconds", "applicationglobex"] == 0


def test_metrics_report_whose_breaker_is_open(scene: Scene):
    scene.acme.plan(refused(answer(status=401)))
    scene.apply()
    scene.deliver()
    seen = figures(scene)
    assert (seen["portal_breaker_open", "acme"], seen["portal_breaker_open", "globex"]) == (1, 0)
    assert seen["portal_lane_rest_seconds", "acme"] > 0
    scene.acme.plan(taken())
    scene.deliver(after=RETRY_BASE * 20 + 1)
    assert figures(scene)["portal_breaker_open", "acme"] == 0


def test_metrics_report_the_age_of_the_synced_jobs(scene: Scene):
    scene.clock.pass_time(1_000)
    assert 1_000 <= figures(scene)["portal_mirror_age_seconds", "acme"] < 1_010


@pytest.mark.parametrize("peer", ["127.0.0.1", "::1", "::ffff:127.0.0.1"])
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_requests_from_the_same_machine_are_allowed(scene: Scene, peer: str):
    assert asked(scene, peer).status_code == 200


@pytest.mark.parametrize("peer", ["192.0.2.1", "10.0.0.1", "2001:db8::1", ""])
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_requests_from_other_machines_are_refused(scene: Scene, peer: str):
    refusal = asked(scene, peer, Authorization="Bearer ")
    assert refusal.status_code == 403
    assert "portal_" not in refusal.text


@pytest.mark.parametrize("scene", [{"metrics_token": "a-token-for-tests"}], indirect=True)
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_requests_with_the_token_are_allowed_from_anywhere(scene: Scene):
    assert asked(scene, "192.0.2.1", Authorization="Bearer a-token-for-tests").status_code == 200
    for wrong in ("Bearer a-token", "Basic a-token-for-tests", "Bearer ä", ""):
        refusal = asked(scene, "192.0.2.1", Authorization=wrong)
        assert refusal.status_code == 401
        assert refusal.headers["WWW-Authenticate"] == "Bearer"
    assert asked(scene).status_code == 200


@pytest.mark.parametrize("scene", [{"trusted_proxies": 1}], indirect=True)
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_behind_a_proxy_requests_need_the_token(scene: Scene):
    through = asked(scene, "127.0.0.1", **{"X-Forwarded-For": "192.0.2.1"})
    around = asked(scene, "192.0.2.1", **{"X-Forwarded-For": "127.0.0.1"})
    assert (through.status_code, around.status_code, asked(scene).status_code) == (403, 403, 403)


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize("header", ["X-Forwarded-For", "X-Forwarded-Host", "Forwarded"])
def test_requests_with_forwarding_headers_need_the_token_even_without_a_configured_proxy(scene: Scene, header: str):
    assert asked(scene, "127.0.0.1", **{header: "127.0.0.1"}).status_code == 403


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize("host", ["careers.example", "127.0.0.1.evil.example:8000", "192.0.2.1:8000", "[", ""])
def test_a_proxy_without_forwarding_headers_is_detected_by_the_host_name(scene: Scene, host: str):
    assert asked(scene, Host=host).status_code in {403, 404, 421}
    assert "parts" not in scene.app.test_client().get("/readyz", headers={"Host": host}).text


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
@pytest.mark.parametrize("host", ["127.0.0.1:8000", "localhost:8000", "LOCALHOST", "[::1]:8000"])
def test_every_name_of_the_same_machine_is_allowed(scene: Scene, host: str):
    assert asked(scene, Host=host).status_code == 200
    assert "parts" in scene.app.test_client().get("/readyz", headers={"Host": host}).json


@pytest.mark.parametrize("scene", [{"base_url": "https://careers.example"}], indirect=True)
@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_https_reveals_a_proxy_without_forwarding_headers(scene: Scene):
    assert asked(scene).status_code == 403
    assert "parts" not in scene.app.test_client().get("/readyz").text
