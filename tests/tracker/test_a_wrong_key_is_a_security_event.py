"""Whoever tries keys at the interface is seen in the security stream; who has none, or the right one, is not."""

import pytest

from tests.platform.logs.log_reader import reading_log
from tests.tracker.office import Office


@pytest.mark.parametrize("path", ["/vacancies", "/vacancies/v1", "/candidates"])
@pytest.mark.parametrize("key", ["not-a-key", "trk_000000000000_" + "x" * 43, "changed"])
def test_a_key_that_is_not_valid_is_told_without_it(sqlite_office: Office, path: str, key: str):
    office = sqlite_office
    presented = office.key[:-4] + "AAAA" if key == "changed" else key
    with reading_log() as heard:
        assert office.client({"x-api-key": presented}).get(path).status_code == 401
    (line,) = heard.security
    assert line["event"] == "key_wrong"
    assert presented not in str(heard.lines)


@pytest.mark.parametrize("key", [None, ""])
def test_no_key_is_no_attempt(sqlite_office: Office, key: str | None):
    with reading_log() as heard:
        headers = {} if key is None else {"x-api-key": key}
        assert sqlite_office.client(headers).get("/vacancies").status_code == 401
    assert heard.security == []


def test_the_right_key_is_an_access_line_alone(sqlite_office: Office):
    with reading_log() as heard:
        assert sqlite_office.recruiter.get("/vacancies").status_code == 200
    assert (heard.security, [line["status"] for line in heard.of("answered")]) == ([], [200])
