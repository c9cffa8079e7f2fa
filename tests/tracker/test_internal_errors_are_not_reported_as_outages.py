"""Wrong SQL in the service causes a logged 500, not a 503 that clients would retry."""

import logging
import re

import pytest
import sqlalchemy as sa

from tests.tracker.office import Office


@pytest.mark.parametrize("path", ["/vacancies/ada-at-people", "/applications/ada-at-people"])
def test_a_missing_table_is_an_internal_error(office: Office, path: str, caplog: pytest.LogCaptureFixture):
    with office.database.write() as connection:
        connection.execute(sa.text("ALTER TABLE vacancies RENAME TO elsewhere"))
    with caplog.at_level(logging.WARNING):
        answer = office.recruiter.get(path)
    assert answer.status_code == 500
    assert answer.headers["Content-Type"] == "application/problem+json"
    assert re.search(r"with_key\.get_\w+: \w+ at .*portal/", caplog.text)
    assert "ada-at-people" not in caplog.text
