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
    """Every member and member of a member; not what is only a constant, and not lists' and badges' insides."""
    found = set()
    for name, value in members.items():
        if name != "viewType":
            found.add(above + name)
        if isinstance(value, dict) and not above and name != "stage":
            found |= paths(value, f"{name}.")
    return found


def test_it_answers_whole():
    with service() as stand_in:
        stand_in.handle(POSTED)
        assert paths(listed(stand_in)) == {"id", *OPTIONAL}


@pytest.mark.parametrize("path", OPTIONAL)
def test_without_one_the_others_are_there(path: str):
    with service(leaves_out={path}) as stand_in:
        stand_in.handle(POSTED)
        gone = {each for each in OPTIONAL if each == path or each.startswith(f"{path}.")}
        assert paths(listed(stand_in)) == {"id", *OPTIONAL} - gone


def test_several_are_left_out_together():
    with service(leaves_out={"candidate", "candidate.emails", "owner"}) as stand_in:
        stand_in.handle(POSTED)
        found = listed(stand_in)
    assert not found.keys() & {"candidate", "owner"}
