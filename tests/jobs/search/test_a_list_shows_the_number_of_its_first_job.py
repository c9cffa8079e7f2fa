"""A page of a list shows the number of its first job, and none if the address contains an implausible one."""

import base64

import pytest

from tests.jobs.conftest import Mirror
from tests.jobs.standin import vacancy


@pytest.fixture
def seven(mirrored: Mirror) -> Mirror:
    for number in range(7):
        mirrored.service.put(vacancy(f"v{number}", "Nurse"))
    mirrored.sync()
    return mirrored


@pytest.mark.parametrize("words", ["", "nurse"])
def test_later_pages_continue_the_numbers(seven: Mirror, words: str):
    after, firsts = None, []
    while True:
        found = seven.find(words, size=3, after=after)
        firsts.append((found.first, len(found.hits), found.total))
        after = found.next
        if after is None:
            break
    assert firsts == [(1, 3, 7), (4, 3, 7), (7, 1, 7)]


def test_an_empty_list_has_no_first_job(seven: Mirror):
    assert seven.find("astronaut").first is None


@pytest.mark.parametrize(("passed", "first"), [(3, 4), (4, None), (999_999_999, None), (None, None)])
def test_an_implausible_number_is_not_shown(seven: Mirror, passed: int | None, first: int | None):
    after = seven.find(size=3).next
    assert after is not None
    plain = base64.urlsafe_b64decode(after + "=" * (-len(after) % 4)).decode().rsplit(",", 1)[0]
    forged = plain if passed is None else f"{plain},{passed}"
    found = seven.find(size=3, after=base64.urlsafe_b64encode(forged.encode()).decode().rstrip("="))
    assert len(found.hits) == 3
    assert found.first == first


def test_the_last_page_needs_no_number_in_its_address(seven: Mirror):
    after = seven.find(size=6).next
    assert after is not None
    plain = base64.urlsafe_b64decode(after + "=" * (-len(after) % 4)).decode().rsplit(",", 1)[0]
    found = seven.find(size=6, after=base64.urlsafe_b64encode(f"{plain},2".encode()).decode().rstrip("="))
    assert (found.first, found.total) == (7, 7)
