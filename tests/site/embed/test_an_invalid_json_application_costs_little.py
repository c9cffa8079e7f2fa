"""The largest application as JSON, with nothing valid in it, costs 0.3 s of CPU and gets a response of 64 KB."""

import json

import httpx
import pytest

from portal.contract import bounds
from tests.parts.cpu_cost import cost
from tests.site.embed.front_end import ADA, FrontEnd

MOST = bounds.PUBLIC_BODY_MAX
BODIES = {
    "numbers": '{"firstName":[' + ",".join(["1"] * 32_000) + "]}",
    "as many numbers as are parsed": '{"location":[' + ",".join(["1"] * 4_900) + "]}",
    "short unknown members": json.dumps(dict.fromkeys(map(str, range(4_900)), 1)),
    "more unknown members": "{" + ",".join(f'"{n}":1' for n in range(7_400)) + "}",
    "unknown members as long as a pointer": json.dumps({"~" * 100 + str(number): 1 for number in range(500)}),
    "names that grow": json.dumps({"\x01" * 90 + str(number): 1 for number in range(100)}),
    "one unknown member": json.dumps({"~" * 65_000: 1}),
    "one address": json.dumps({"email": "a@" + "b." * 32_000}),
    "deep lists": "[" * MOST,
    "deep objects": '{"a":' * 13_000,
    "half characters": '{"location":{' + ",".join(rf'"{n}":"\ud800"' for n in range(2_000)) + "}}",
    "long numbers": '{"firstName":' + "9" * 65_000 + "}",
}


def post(front_end: FrontEnd, content: bytes) -> httpx.Response:
    with front_end.client() as client:
        kind = {"Content-Type": "application/json"}
        return client.post("/acme/vacancy-portal/jobs/job-1", content=content, headers=kind)


@pytest.mark.parametrize("kind", BODIES)
def test_it_is_rejected_at_little_cost(front_end: FrontEnd, kind: str):
    content = BODIES[kind].encode()
    assert len(content) <= MOST
    post(front_end, b"{}")
    answer = post(front_end, content)
    assert answer.status_code in {400, 413, 422}, answer.text[:500]
    assert len(answer.content) < 65_536
    assert len(answer.json().get("errors", [])) <= bounds.ERRORS_MAX
    assert cost(lambda: post(front_end, content)) <= 0.3


@pytest.mark.parametrize(("size", "status"), [(MOST, 202), (MOST + 1, 413)])
def test_the_size_of_the_body_is_limited(front_end: FrontEnd, size: int, status: int):
    text = json.dumps(ADA | {"cvAttachmentId": front_end.handle()})
    assert post(front_end, text.encode() + b" " * (size - len(text))).status_code == status


@pytest.mark.parametrize(("unknown", "named"), [(50, 50), (51, 50)])
def test_the_number_of_errors_is_limited(front_end: FrontEnd, unknown: int, named: int):
    answer = front_end.send(**{f"x{number}": 1 for number in range(unknown)})
    assert answer.status_code == 422
    assert len(answer.json()["errors"]) == named


def test_the_description_states_the_limits(front_end: FrontEnd):
    with front_end.client() as client:
        described = client.get("/openapi.json").json()
    (errors,) = (
        one for one in described["components"]["schemas"]["Problem"]["properties"]["errors"]["anyOf"] if "items" in one
    )
    assert errors["maxItems"] == bounds.ERRORS_MAX
    sending = described["paths"]["/{slug}/vacancy-portal/jobs/{postingId}"]["post"]
    assert f"{MOST} bytes" in sending["description"]
