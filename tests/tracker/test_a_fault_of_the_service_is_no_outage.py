"""A mistake in the service's own SQL is a 500 that its log explains, and no 503 that a client waits for."""

import logging
import re

import pytest
import sqlalchemy as sa

from tests.tracker.office import Office


@pytest.mark.parametrize("path", ["/vacancies/ada-at-people", "/applications/ada-at-people"])
def test_a_table_that_is_missing_is_our_fault(office: Office, path: str, caplog: pytest.LogCaptureFixture):
    with office.database.write() as connection:
        connection.execute(sa.text("ALTER TABLE vacancies RENAME TO elsewhere"))
    with caplog.at_level(logging.WARNING):
        answer = office.recruiter.get(path)
    assert answer.status_code == 500
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert re.search(r"with_key\.get_\w+: \w+ at .*portal/", caplog.text)
    assert "ada-at-people" not in caplog.text
