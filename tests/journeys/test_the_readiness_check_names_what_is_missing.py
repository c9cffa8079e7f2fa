"""/healthz responds while the process serves; /readyz names missing parts and the age of the data."""

from pathlib import Path

import pytest

from tests import builders


@pytest.fixture
def careers(tmp_path: Path):
    made = builders.portal(tmp_path / "portal")
    yield made
    made.parts.database.close()


def ready(careers: builders.Portal) -> tuple[int, dict]:
    with careers.browser() as monitoring:
        answer = monitoring.get("/readyz")
    return answer.status_code, answer.json()


def test_without_a_tenant_the_server_is_not_ready_and_says_why(careers: builders.Portal):
    status, body = ready(careers)
    assert status == 503
    assert body["missing"] == {"tenants": "no valid tenant file"}


def test_with_a_tenant_the_server_is_ready_and_reports_the_age_of_its_data(careers: builders.Portal):
    careers.add_tenant("acme", "Acme")
    careers.parts.clock.pass_time(1)
    status, body = ready(careers)
    assert (status, body["ready"], body["missing"], body["mirrorAge"]) == (200, True, {}, {"acme": None})
    assert (body["uploads"], body["shortOfRoom"]) == ("taken", [])
    careers.work.mirror_what_is_due()
    careers.parts.clock.pass_time(90)
    status, body = ready(careers)
    assert status == 200
    assert body["mirrorAge"] == {"acme": 90.0}


def test_with_an_outdated_schema_the_server_is_not_ready_and_names_the_command(tmp_path: Path):
    made = builders.portal(tmp_path / "portal")
    made.add_tenant("acme", "Acme")
    with made.parts.database.write() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0001'")
    status, body = ready(made)
    assert status == 503
    assert "portal db upgrade" in body["missing"]["database"]
    with made.browser() as monitoring:
        assert monitoring.get("/healthz").status_code == 200
    made.parts.database.close()
