"""A tenant of the service with its data, a recruiter's client with an API key, and a public client without one."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
from flask import Flask

from portal.platform.clock import Clock
from portal.platform.config.settings import TrackerSettings
from portal.platform.database.db import Database
from portal.tracker import administration, loading
from portal.tracker.app import create_tracker
from portal.tracker.tables import open_database

Json = dict[str, Any]


def submission(**changes: Any) -> Json:
    """Return a complete body for §4.8."""
    return {
        "networkUrl": None,
        "firstName": "Ada",
        "lastName": "Okafor",
        "cvAttachmentId": "acme/cv-1",
        "email": "ada@people.example",
        "phoneNumber": "+4915112345678",
        "location": {"type": "primary_home", "city": "Leipzig", "country": "DE"},
    } | changes


def vacancy_body(**changes: Any) -> Json:
    """Return a body for §4.4 with its required members."""
    return {
        "status": "open",
        "name": "Welder",
        "description": "<p>Welds.</p>",
        "salaryRange": {"currency": "EUR", "min": 30000, "max": 40000.5},
        "location": {"city": "Leipzig", "country": "DE"},
        "startAt": None,
        "endAt": None,
        "teamUserIds": [],
        "clientTeamUserIds": [],
    } | changes


@dataclass
class Office:
    database: Database
    clock: Clock
    app: Flask
    slug: str
    key: str
    company: str

    @property
    def recruiter(self) -> httpx.Client:
        return self.client({"x-api-key": self.key})

    @property
    def public(self) -> httpx.Client:
        return self.client({})

    def client(self, headers: dict[str, str]) -> httpx.Client:
        return httpx.Client(transport=httpx.WSGITransport(app=self.app), base_url="http://service", headers=headers)

    def neighbour(self, slug: str = "globex") -> "Office":
        """Add another tenant to the same service."""
        administration.add_tenant(self.database, self.clock, slug, slug.title())
        key = administration.create_key(self.database, self.clock, slug)
        company = administration.add_company(self.database, self.clock, slug, "Client")
        return Office(self.database, self.clock, self.app, slug, key, company)

    def add_vacancy(self, **changes: Any) -> str:
        answer = self.recruiter.post("/vacancies", params={"companyId": self.company}, json=vacancy_body(**changes))
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    def apply(self, vacancy: str, key: str | None = None, **changes: Any) -> httpx.Response:
        headers = {} if key is None else {"Idempotency-Key": key}
        return self.public.post(
            f"/{self.slug}/vacancy-portal/jobs/{vacancy}", json=submission(**changes), headers=headers
        )

    def applications(self, vacancy: str) -> list[Json]:
        found: list[Json] = self.recruiter.get(f"/applications/vacancy/{vacancy}").json()["applications"]
        return found

    def candidates(self) -> list[Json]:
        return list(self.walk("/candidates"))

    def walk(self, path: str, **params: Any) -> Iterator[Json]:
        """Yield every record, page by page."""
        while True:
            answer = self.recruiter.get(path, params=params)
            assert answer.status_code == 200, answer.text
            page = answer.json()
            yield from page["items"]
            if not page["pageInfo"]["hasNextPage"]:
                return
            params = params | {"cursor": page["pageInfo"]["nextCursor"]}

    def load(self, *records: tuple[str, Json]) -> int:
        lines = [json.dumps({"kind": kind, "record": record}) for kind, record in records]
        return loading.load(self.database, self.clock, self.slug, lines)


@contextmanager
def opened(url: str, clock: Clock, *, rate_limit: int = 1_000_000, public: int = 1_000_000) -> Iterator[Office]:
    database = open_database(url)
    try:
        settings = TrackerSettings(database_url=url, rate_limit=rate_limit, public_rate_limit=public)
        app = create_tracker(settings, clock=clock, database=database)
        administration.add_tenant(database, clock, "acme", "Acme Robotics")
        key = administration.create_key(database, clock, "acme")
        company = administration.add_company(database, clock, "acme", "Acme Robotics")
        yield Office(database, clock, app, "acme", key, company)
    finally:
        database.close()
