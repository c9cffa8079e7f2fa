"""The tests' service answers with all optional members, and without any of them."""

from typing import Any

import httpx
import pytest

from portal.contract.applications import VacancyApplications
from tests.delivery.service import OPTIONAL, Posted, Service, service

POSTED = Posted("acme", "job-1", "r-1", {"email": "ada@people.example", "firstName": "Ada", "lastName": "Okafor"})


def listed(stand_in: Service) -> dict[str, Any]:
    answer = httpx.get(f"{stand_in.url}/applications/vacancy/job-1", trust_env=False)
    VacancyApplications.model_validate_json(answer.content)
    (found,) = answer.json()["applications"]
    return dict(found)


def paths(members: dict[str, Any], above: str = "") -> set[str]:
    """Return every member and nested member; not constants, nor the contents of lists and badges."""
    found = set()
    for name, value in members.items():
        if name != "viewType":
            found.add(above + name)
        if isinstance(value, dict) and not above and name != "stage":
            found |= paths(value, f"{name}.")
    return found


def test_the_complete_response_has_all_members():
    with service() as stand_in:
        stand_in.handle(POSTED)
        assert paths(listed(stand_in)) == {"id", *OPTIONAL}


@pytest.mark.parametrize("path", OPTIONAL)
def test_one_optional_member_can_be_omitted(path: str):
    with service(leaves_out={path}) as stand_in:
        stand_in.handle(POSTED)
        gone = {each for each in OPTIONAL if each == path or each.startswith(f"{path}.")}
        assert paths(listed(stand_in)) == {"id", *OPTIONAL} - gone


def test_several_optional_members_can_be_omitted():
    with service(leaves_out={"candidate", "candidate.emails", "owner"}) as stand_in:
        stand_in.handle(POSTED)
        found = listed(stand_in)
    assert not found.keys() & {"candidate", "owner"}
