import sqlalchemy as sa

from tests.jobs.conftest import Mirror
from tests.jobs.standin import vacancy


def test_a_sync_without_changes_makes_one_request_and_writes_nothing(mirrored: Mirror):
    for number in range(120):
        mirrored.service.put(vacancy(f"v{number}"))
        mirrored.clock.pass_time(60)
    mirrored.sync()
    mirrored.clock.pass_time(60)
    mirrored.sync()
    statements: list[str] = []

    @sa.event.listens_for(mirrored.database.engine, "before_cursor_execute")
    def note(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        statements.append(statement)

    mirrored.service.requests.clear()
    mirrored.clock.pass_time(60)
    report = mirrored.sync()
    assert len(mirrored.service.requests) == 1
    assert report.changed == 0
    written = [text for text in statements if text.lstrip().upper().startswith(("INSERT", "UPDATE", "DELETE"))]
    assert statements
    assert written == []
    assert not any("IMMEDIATE" in text for text in statements)


def test_a_vacancy_listed_again_unchanged_writes_nothing(mirrored: Mirror):
    mirrored.service.put(vacancy("v1"))
    mirrored.sync()
    mirrored.clock.pass_time(60)
    mirrored.service.put(vacancy("v1"))
    report = mirrored.sync()
    assert (report.seen, report.changed) == (1, 0)


def test_the_watermark_is_the_services_time_minus_ten_minutes(mirrored: Mirror):
    behind = mirrored.clock.now()
    mirrored.service.date = lambda: behind
    mirrored.service.put(vacancy("v1"))
    mirrored.sync()
    mirrored.clock.pass_time(3_600)
    mirrored.sync()
    assert mirrored.service.requests[-1].url.params["modifiedSince"] == "2026-06-01T11:50:00Z"


def test_the_watermark_does_not_move_when_the_cursor_did_not_advance(mirrored: Mirror):
    mirrored.service.put(vacancy("v1"))
    mirrored.sync()
    mirrored.clock.pass_time(7_200)
    at = mirrored.clock.now()
    for number in range(80):
        mirrored.service.put(vacancy(f"import{number}"), at=at)
    mirrored.clock.pass_time(60)
    assert mirrored.sync().alarms
    mirrored.clock.pass_time(7_200)
    mirrored.service.requests.clear()
    mirrored.sync()
    assert mirrored.service.requests[0].url.params["modifiedSince"] == "2026-06-01T11:50:00Z"


def test_the_watermark_does_not_move_when_a_sync_is_interrupted(mirrored: Mirror):
    import httpx
    import pytest

    from portal.adapters.tracker_client.errors import TrackerError

    for number in range(60):
        mirrored.service.put(vacancy(f"v{number}"))
        mirrored.clock.pass_time(1)
    mirrored.sync()
    mirrored.clock.pass_time(3_600)
    for number in range(60):
        mirrored.service.put(vacancy(f"v{number}", "Changed"))
        mirrored.clock.pass_time(1)
    mirrored.service.fault = lambda request: httpx.Response(500) if "cursor" in request.url.params else None
    with pytest.raises(TrackerError):
        mirrored.sync()
    assert mirrored.find("changed").total == 25
    first = next(r for r in reversed(mirrored.service.requests) if "cursor" not in r.url.params)
    mirrored.service.fault = None
    mirrored.service.requests.clear()
    mirrored.sync()
    assert mirrored.service.requests[0].url.params["modifiedSince"] == first.url.params["modifiedSince"]
    assert mirrored.find("changed").total == 60
