"""During an outage of the database /metrics responds with the metrics of the process and the counts of requests."""

from pathlib import Path

import pytest

from portal.platform.logs import EventName, SecurityEvent, event, log_security_event
from tests import builders
from tests.operations.health.figures import Figures, figure, of_part, read


@pytest.fixture
def careers(tmp_path: Path):
    made = builders.portal(tmp_path / "portal")
    made.add_tenant("acme", "Acme")
    made.parts.clock.pass_time(1)
    yield made
    made.parts.database.close()


def figures(careers: builders.Portal) -> Figures:
    with careers.browser() as monitoring:
        answer = monitoring.get("/metrics")
    assert answer.status_code == 200
    return read(answer.text)


def test_an_unavailable_database_is_a_metric_and_no_error(careers: builders.Portal):
    there = figures(careers)
    assert of_part(there, "database") == 1
    assert figure(there, "portal_workers") == 0
    careers.parts.database.close()
    Path(careers.parts.database.file).rename(careers.folder / "elsewhere.db")
    away = figures(careers)
    assert of_part(away, "database") == 0
    assert figure(away, "portal_workers") is None
    assert figure(away, "portal_processes") == 1
    assert figure(away, "portal_tenant_file_wrong", tenant="acme") == 0


def test_requests_are_counted_by_route(careers: builders.Portal):
    def seen_at(route: str, status: str) -> float:
        found = figures(careers)
        return figure(found, "portal_http_seconds_count", route=route, method="GET", status=status) or 0

    before, unknown = seen_at("/<slug>/", "2xx"), seen_at("none", "4xx")
    with careers.browser() as visitor:
        for word in ("a", "b", "b"):  # the last one is cached and sent by the gateway
            assert visitor.get(f"/acme/?q={word}").status_code == 200
        for number in range(3):
            assert visitor.get(f"/nothing/{number}/at/all").status_code == 404
    assert seen_at("/<slug>/", "2xx") == before + 3
    assert seen_at("none", "4xx") == unknown + 3  # one label value for all unknown paths


def test_log_events_are_counted(careers: builders.Portal):
    def count(name: str, **labels: str) -> float:
        return figure(figures(careers), name, **labels) or 0

    accepted = {"event": "accepted", "tenant": "acme", "kind": "application"}
    wrong = {"event": "code_wrong", "tenant": "acme"}
    before = count("portal_events_total", **accepted), count("portal_security_events_total", **wrong)
    event(EventName.ACCEPTED, tenant="acme", reference="R-1", kind="application")
    log_security_event(SecurityEvent.CODE_WRONG, tenant="acme")
    after = count("portal_events_total", **accepted), count("portal_security_events_total", **wrong)
    assert after == (before[0] + 1, before[1] + 1)


def test_rejections_are_counted_by_reason(careers: builders.Portal):
    from portal.platform.errors import UploadReason

    def count() -> float:
        labels = {"tenant": "acme", "kind": "upload_refused", "reason": UploadReason.EMPTY.value}
        return figure(figures(careers), "portal_refused_total", **labels) or 0

    before = count()
    log_security_event(SecurityEvent.UPLOAD_REFUSED, tenant="acme", reason=UploadReason.EMPTY)
    assert count() == before + 1


def test_used_and_available_capacity_are_metrics(careers: builders.Portal):
    with careers.parts.database.read(), careers.parts.concurrency.slot_held():
        found = figures(careers)
        assert figure(found, "portal_database_connections") >= 1
        assert figure(found, "portal_http_working") == 1
    assert figure(found, "portal_http_working_most") == careers.parts.settings.threads
    assert figure(found, "portal_database_connections_most") == 24
    assert figure(found, "portal_http_waiting") == 0
