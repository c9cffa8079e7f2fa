"""A tenant's own front end, which sends applications as JSON."""

from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.builders import Portal

LISTED = "https://www.acme.example"
FILE = """
[publish]
stages = ["Open"]
[embed]
origins = ["https://www.acme.example"]
[apply]
phone_region = "DE"
"""
CV = b"Ada Lovelace, Bachelor of Engines, 1842 to 1843: notes on the Analytical Engine.\n" * 5
ADA: dict[str, Any] = {
    "firstName": "Ada",
    "lastName": "Lovelace",
    "email": "ada@people.example",
    "phoneNumber": "030 1234567",
    "networkUrl": "https://network.example/in/ada",
    "location": {"type": "primary_home", "city": "Berlin", "postalCode": "10115", "country": "DE"},
}


@dataclass
class FrontEnd:
    """A front end: scripts or a server; by default a server, which sends no Origin header."""

    portal: Portal
    headers: dict[str, str] = field(default_factory=dict)

    def client(self) -> httpx.Client:
        return self.portal.browser(**self.headers)

    def store(self, cv: bytes = CV, **headers: str) -> httpx.Response:
        own = {"Content-Type": "application/octet-stream", **headers}
        with self.client() as client:
            return client.post("/acme/uploads", content=cv, headers=own)

    def handle(self, cv: bytes = CV) -> str:
        answer = self.store(cv)
        assert answer.status_code == 201, answer.text
        return str(answer.json()["cvAttachmentId"])

    def send(
        self, posting: str = "job-1", *, key: str | None = None, query: str = "", **changes: Any
    ) -> httpx.Response:
        body = {**ADA, **changes}
        body.setdefault("cvAttachmentId", None)
        if body["cvAttachmentId"] is None:
            body["cvAttachmentId"] = self.handle()
        given = {name: value for name, value in body.items() if value is not ...}
        headers = {"Idempotency-Key": key} if key else {}
        with self.client() as client:
            return client.post(f"/acme/vacancy-portal/jobs/{posting}{query}", json=given, headers=headers)

    def sent(self, posting: str = "job-1", **changes: Any) -> str:
        """Send an application; return its reference."""
        answer = self.send(posting, **changes)
        assert answer.status_code == 202, answer.text
        return str(answer.json()["reference"])


def wrong(answer: httpx.Response) -> dict[str, str]:
    """Return pointer → message."""
    assert answer.headers["Content-Type"] == "application/problem+json"
    return {one["pointer"]: one["detail"] for one in answer.json().get("errors", [])}
