"""The largest body of an operation, completely invalid, takes at most 0.3 s of CPU time and a response of 64 KB."""

import json
from collections.abc import Callable

import httpx
import pytest

from portal.contract import bounds
from portal.contract.operations import OPERATIONS, Operation
from tests.parts.cpu_cost import cost
from tests.tracker.office import Office

JSON = {"Content-Type": "application/json"}
CPU_SECONDS = 0.3
ANSWER_BYTES = 65_536
WITH_BODY = [operation for operation in OPERATIONS if operation.body is not None]
LISTS = ("emails", "phoneNumbers", "socialMedia", "education", "customAttributes", "teamUserIds", "nationality")
STRINGS = ("firstName", "email", "networkUrl", "phoneNumber", "name", "avatarUrl")


def _filled(one: str, most: int, start: str = '{"emails":[', end: str = "]}") -> str:
    """Repeat `one` as often as `most` bytes allow."""
    times = (most - len(start.encode()) - len(end.encode())) // (len(one.encode()) + 1)
    return start + ",".join([one] * times) + end


def _lists(entry: str, times: int) -> str:
    """Return a body with every list of the interface, filled with this entry."""
    return "{" + ",".join(f'"{name}":[{",".join([entry] * times)}]' for name in LISTS) + "}"


def _members(name: str, most: int) -> str:
    """Return as many unknown members as `most` bytes allow. name: with {} for a number."""
    one = len(json.dumps(name.format(10_000)).encode()) + 3
    return json.dumps({name.format(number): 1 for number in range(most // one)}, separators=(",", ":"))


BODIES: dict[str, Callable[[int], str]] = {
    "a list of numbers": lambda most: _filled("1", most),
    "a list of nothing": lambda most: _filled("{}", most),
    "entries with unknown members": lambda most: _filled('{"a":1,"b":2}', most),
    "entries with names of Python": lambda most: _filled('{"is_primary":1}', most),
    "every list with as many values as are parsed": lambda _most: _lists("1", 4_900 // len(LISTS)),
    "every list as long as it may be": lambda _most: _lists('{"a":[],"is_primary":1}', 160),
    "short unknown members": lambda most: _members("{}", most),
    "unknown members of which each name is as long as a pointer": lambda most: _members("~" * 110 + "{}", most),
    "names that grow when they are written": lambda most: _members("\x01\x02" * 30 + "{}", most),
    "one unknown member": lambda most: json.dumps({"~" * (most - 20): 1}),
    "one string": lambda most: json.dumps({"firstName": "x" * (most - 20)}),
    "addresses": lambda _most: json.dumps(dict.fromkeys(("email", "networkUrl"), "a@" + "b." * 15_000 + "!")),
    "addresses in a list": lambda _most: json.dumps({"emails": [{"email": "a@" + "b-" * 155 + "!"}] * 190}),
    "one long address in a list": lambda most: json.dumps(
        {"emails": [{"email": "a@" + "b." * (most // 2 - 30) + "!"}]}
    ),
    "half characters": lambda most: _filled(r'"\ud800"', most),
    "as many half characters as are parsed": lambda _most: '{"emails":[' + ",".join([r'"\ud800"'] * 4_900) + "]}",
    "names with NUL": lambda _most: "{" + ",".join(rf'"\u0000{n}":{{"a\u0000":1}}' for n in range(2_000)) + "}",
    "one member again and again": lambda most: "{" + ",".join(['"emails":1'] * (most // 12)) + "}",
    "deep lists": lambda most: "[" * most,
    "deep objects": lambda most: '{"a":' * (most // 5),
    "deep under long names": lambda most: _deep("x" * 100, most),
    "long numbers": lambda most: _filled("9" * 4_000, most),
    "long fractions": lambda most: '{"emails":[0.' + "9" * (most - 20) + "]}",
    "no JSON": lambda most: '"' * most,
}


def _deep(name: str, most: int) -> str:
    inner = {f"{name}{number}": "\ud800" for number in range(min(most // 400, 150))}
    body: object = inner
    for _ in range(25):
        body = {name: body}
    return json.dumps(body)


def _post(office: Office, operation: Operation, content: bytes) -> httpx.Response:
    path = operation.path.format(publicTenantSlug="acme", jobBoardPostingId="none", candidateId="none")
    query = {"companyId": office.company} if operation.query else {}
    who = office.recruiter if operation.needs_key else office.public
    return who.request(operation.method, path, params=query, content=content, headers=JSON)


@pytest.mark.parametrize("kind", BODIES)
@pytest.mark.parametrize("operation", WITH_BODY, ids=lambda one: one.section)
def test_rejecting_an_invalid_body_is_cheap(sqlite_office: Office, operation: Operation, kind: str):
    most = operation.body_most
    content = BODIES[kind](most).encode()
    assert len(content) <= most
    _post(sqlite_office, operation, b"{}")  # caches are filled
    answer = _post(sqlite_office, operation, content)
    assert answer.status_code in {400, 413, 422}, answer.text[:500]
    assert len(answer.content) < ANSWER_BYTES
    assert len(answer.json().get("errors", [])) <= bounds.ERRORS_MAX
    assert cost(lambda: _post(sqlite_office, operation, content)) <= CPU_SECONDS
