"""A candidate with a record at the service, their browser and their mailbox."""

import email
import json
import re
from dataclasses import dataclass, field
from email.message import EmailMessage
from email.policy import default
from pathlib import Path
from typing import Any

import httpx

from tests import builders
from tests.builders import Portal
from tests.site.account.conftest import FILE
from tests.site.apply.applicant import Page
from tests.site.apply.conftest import vacancy

CANARY = "canary-candidate-id-0123456789"
ADA = "ada@people.example"


def candidate(candidate_id: str = CANARY, **members: Any) -> str:
    """A record of the service, as it is loaded. members: of §2.5, without their wrappers."""
    record = {
        "id": candidate_id,
        "name": {"firstName": members.pop("firstName", "Ada"), "lastName": members.pop("lastName", "Lovelace")},
        "emails": {"emails": members.pop("emails", [{"purpose": "personal", "email": ADA, "isPrimary": True}])},
        "phoneNumbers": {
            "phoneNumbers": members.pop(
                "phoneNumbers", [{"purpose": "carrier pigeon", "phoneNumber": "+49301234567", "isPrimary": True}]
            )
        },
        "socialMedia": {
            "socialMedia": members.pop(
                "socialMedia", [{"url": "network.example/ada", "type": "ODD_NETWORK", "isPrimary": False}]
            )
        },
        "aiSummary": "a secret opinion",
        **members,
    }
    return json.dumps({"kind": "candidate", "record": record})


def open_acme(folder: Path, *, file: str = FILE, **settings: Any) -> Portal:
    """A portal with one tenant, Acme, one job and Ada's record. file: further settings of Acme's tenant file."""
    made = builders.portal(folder, **settings)
    made.add_tenant("acme", "Acme", file)
    made.service.load("acme", [vacancy("job-1", "Welder"), candidate()])
    made.work.mirror_what_is_due()
    made.work.index_what_is_due()
    return made


def mailbox(portal: Portal, after: int = 0) -> list[EmailMessage]:
    """Return the emails after the first `after` ones, oldest first."""
    return [email.message_from_bytes(path.read_bytes(), policy=default) for path in mailed(portal)[after:]]


def mailed(portal: Portal) -> list[Path]:
    """Return the same as unparsed files."""
    return sorted((portal.folder / "mail").glob("*.eml"), key=lambda path: path.stat().st_mtime_ns)


def text(message: EmailMessage) -> str:
    body = message.get_body(("plain",))
    assert body is not None
    return body.get_content()


def code_in(message: EmailMessage) -> str:
    """Return the only run of exactly eight digits in the text part."""
    (code,) = re.findall(r"(?<!\d)\d{8}(?!\d)", text(message))
    return code


def at_service(portal: Portal, slug: str = "acme") -> list[dict[str, Any]]:
    """Return the candidates in the service's responses."""
    with httpx.Client(transport=portal.service.transport, base_url="http://127.0.0.1") as client:
        answer = client.get("/candidates?limit=50", headers={"x-api-key": portal.keys[slug]})
    assert answer.status_code == 200
    return answer.json()["items"]


@dataclass
class Visitor:
    """A candidate's browser, which parses every page strictly."""

    portal: Portal
    slug: str = "acme"
    headers: dict[str, str] = field(default_factory=dict)
    client: httpx.Client = field(init=False)

    def __post_init__(self) -> None:
        self.client = self.portal.browser(**self.headers)

    def at(self, path: str) -> str:
        return f"/{self.slug}{path}"

    def get(self, path: str) -> Page:
        return Page(self.client.get(self.at(path)))

    def post(self, path: str, page: Page | None = None, **typed: str) -> httpx.Response:
        """Post the page's form with its hidden fields and the typed values."""
        page = page or self.get(path)
        fields = {**page.hidden, **typed}
        return self.client.post(self.at(path), files={name: (None, value) for name, value in fields.items()})

    def ask(self, address: str = ADA) -> httpx.Response:
        answer = self.post("/profile", email=address)
        self.portal.work.deliver_what_is_due()
        return answer

    def enter(self, code: str) -> httpx.Response:
        return self.post("/profile/code", code=code)

    def sign_in(self, address: str = ADA) -> None:
        self.ask(address)
        answer = self.enter(code_in(mailbox(self.portal)[-1]))
        assert answer.status_code == 303, answer.text

    def form(self, path: str = "/profile/edit") -> "Form":
        return Form(self, self.get(path))


@dataclass
class Form:
    """The profile form in a browser."""

    visitor: Visitor
    page: Page

    @property
    def fields(self) -> dict[str, str]:
        return {**self.page.hidden, **self._typed()}

    def _typed(self) -> dict[str, str]:
        found = dict(self.page.typed)
        for box in self.page.all("input"):
            if box.get("type") in {"checkbox", "radio"} and "checked" in box.attrib:
                found[box.attrib["name"]] = box.attrib["value"]
        return found

    def send(self, cv: tuple[str, bytes] | None = None, **changes: str | None) -> httpx.Response:
        """Post the form with changes; None leaves a field out."""
        fields = {**self.fields, **changes}
        files: dict[str, Any] = {name: (None, value) for name, value in fields.items() if value is not None}
        if cv is not None:
            files["cv"] = (*cv, "application/octet-stream")
        return self.visitor.client.post(self.visitor.at("/profile/edit"), files=files)

    def press(self, **changes: str | None) -> "Form":
        """Send the form with a button; return the resulting page."""
        return Form(self.visitor, Page(self.send(**changes)))


def folder_text(folder: Path) -> bytes:
    """Return the contents of all files in a folder."""
    return b"\n".join(path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file())
