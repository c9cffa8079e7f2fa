"""A form whose script uploads the file separately, step by step, as the browser does."""

from dataclasses import dataclass, field
from typing import Any

import httpx
import sqlalchemy as sa

from tests.builders import Portal
from tests.site.apply.applicant import CV, Applicant


@dataclass
class Sender:
    """The script of one applicant's form."""

    ada: Applicant
    asked: dict[str, Any] = field(default_factory=dict)

    def ask(self, name: str = CV[0], size: int | str = len(CV[1]), **changes: str) -> httpx.Response:
        fields = {"token": self.ada.page.hidden["token"], "name": name, "size": str(size), **changes}
        answer = self.ada.client.post("/acme/uploads/direct", data=fields)
        if answer.status_code == 201:
            self.asked = answer.json()
        return answer

    def send(self, content: bytes = CV[1], **changes: str) -> httpx.Response:
        """Send the file as the response to ask() says: fields in their order, then the file."""
        url, fields = self.asked["url"], {**self.asked["fields"], **changes}
        files = {"file": ("cv", content, "application/octet-stream")}
        if url.startswith("/"):
            return self.ada.client.post(url, data=fields, files=files)
        return httpx.post(url, data=fields, files=files)

    def check(self, **changes: str) -> httpx.Response:
        fields = {"token": self.ada.page.hidden["token"], "upload": self.asked["upload"], **changes}
        return self.ada.client.post("/acme/uploads/checked", data=fields)

    def bring(self, name: str = CV[0], content: bytes = CV[1]) -> dict[str, Any]:
        """Announce, send and check a file; return its description."""
        asked = self.ask(name, len(content))
        assert asked.status_code == 201, asked.text
        sent = self.send(content)
        assert sent.status_code == 204, sent.text
        checked = self.check()
        assert checked.status_code == 200, checked.text
        return checked.json()


def keys(portal: Portal, prefix: str) -> list[str]:
    """Return the keys of all objects; tests share a bucket, so compare before and after."""
    return sorted(portal.parts.store.keys(prefix))


def rows(portal: Portal, table: sa.Table) -> list[Any]:
    with portal.parts.database.read() as connection:
        return list(connection.execute(table.select()).all())
