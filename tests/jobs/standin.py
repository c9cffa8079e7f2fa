"""A simulated service with configurable faults: §4.1 and §4.3 in memory, behind the real client."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import httpx

from portal.adapters.tracker_client.client import TrackerClient
from tests.told_clock import ToldClock

Fault = Callable[[httpx.Request], httpx.Response | None]


class StandIn(httpx.BaseTransport):
    """Vacancies by id, each with the time of its last change. fault: may answer in place of the service."""

    def __init__(self, clock: ToldClock) -> None:
        self.clock = clock
        self.records: dict[str, tuple[datetime, dict[str, Any]]] = {}
        self.requests: list[httpx.Request] = []
        self.fault: Fault | None = None
        self.date: Callable[[], datetime | None] = clock.now
        self.page_most = 50

    def put(self, record: dict[str, Any], at: datetime | None = None) -> None:
        self.records[record["id"]] = (at or self.clock.now(), record)

    def delete(self, vacancy_id: str) -> None:
        del self.records[vacancy_id]

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.fault(request) if self.fault else None
        if answer is None:
            answer = self.answer(request)
        at = self.date()
        if at is not None and "Date" not in answer.headers:
            answer.headers["Date"] = format_datetime(at.astimezone(UTC), usegmt=True)
        raw = b"".join(answer.stream)  # type: ignore[arg-type]  answers here are made of bytes
        return httpx.Response(answer.status_code, headers=answer.headers, stream=httpx.ByteStream(raw))

    def answer(self, request: httpx.Request) -> httpx.Response:
        parts = request.url.path.strip("/").split("/")
        if len(parts) == 2:
            found = self.records.get(parts[1])
            return httpx.Response(200, json=found[1]) if found else httpx.Response(404, json={"title": "no"})
        return json_response(self.page(dict(request.url.params)))

    def page(self, query: dict[str, str]) -> dict[str, Any]:
        limit = min(int(query.get("limit", "25")), self.page_most)
        since = [datetime.fromisoformat(query[name]) for name in ("modifiedSince", "cursor") if name in query]
        found = sorted(
            ((at, key) for key, (at, _) in self.records.items() if all(at >= each for each in since)),
        )
        items = [self.records[key][1] for _, key in found[:limit]]
        more = len(found) > limit
        cursor = found[limit][0].isoformat().replace("+00:00", "Z") if more else None
        return {"items": items, "pageInfo": {"nextCursor": cursor, "hasNextPage": more}}

    def client(self) -> TrackerClient:
        return TrackerClient(
            base_url="http://127.0.0.1", slug="acme", api_key="k" * 20, clock=self.clock, transport=self
        )


def vacancy(vacancy_id: str = "v1", title: str = "Nurse", **changes: Any) -> dict[str, Any]:
    """A vacancy as §2.3 has it; changes replace what is between the wrappers."""
    said: dict[str, Any] = {
        "description": "<p>We look for you.</p>",
        "stage": "Open",
        "created_at": "2026-05-01T08:00:00Z",
        "start_at": None,
        "end_at": None,
        "salary": {"currency": "EUR", "min": 40_000, "max": 50_000},
        "client": "Initech",
        "location": {"type": "primary_home", "city": "Berlin", "country": "Germany"},
        "employment_type": "fullTime",
        "location_type": "onsite",
        "attributes": [],
    } | changes
    return {
        "id": vacancy_id,
        "client": {"viewType": "vacancyClient", "client": {"id": "c1", "name": said["client"]}},
        "name": {"viewType": "vacancyName", "name": title},
        "description": {"viewType": "vacancyDescription", "description": said["description"]},
        "stage": {"viewType": "vacancyStage", "stage": {"id": "s", "order": 1, "name": said["stage"]}},
        "createdAt": {"viewType": "vacancyCreatedAt", "createdAt": said["created_at"]},
        "startAt": {"viewType": "vacancyStartAt", "startAt": said["start_at"]},
        "endAt": {"viewType": "vacancyEndAt", "endAt": said["end_at"]},
        "salaryRange": {"viewType": "vacancySalaryRange", "salaryRange": said["salary"]},
        "location": {"viewType": "vacancyLocation", "location": said["location"]},
        "employmentType": {"viewType": "vacancyEmploymentType", "employmentType": said["employment_type"]},
        "locationType": {"viewType": "vacancyLocationType", "locationType": said["location_type"]},
        "customAttributes": [{"attributeDefinitionId": k, "value": v} for k, v in said["attributes"]],
    }


def json_response(content: object) -> httpx.Response:
    return httpx.Response(200, content=json.dumps(content), headers={"Content-Type": "application/json"})


def iso(at: datetime, **later: float) -> str:
    return (at + timedelta(**later)).isoformat().replace("+00:00", "Z")
