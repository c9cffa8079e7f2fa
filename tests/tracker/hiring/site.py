"""A company's hiring pages beside the service, with browsers that post forms as people do."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from html import unescape
from pathlib import Path

import httpx

from portal.adapters.mail.message import Message
from portal.people.signin.sessions import Session
from portal.platform.config.settings import TrackerSettings
from portal.tracker import administration
from portal.tracker.app import create_tracker
from portal.tracker.hiring import colleagues
from portal.tracker.hiring.app import HiringMount, create_hiring, services_of
from portal.tracker.hiring.colleagues import HiringTenant, Role
from portal.tracker.hiring.guard import HiringServices, HiringVisit
from portal.tracker.hiring.mail_worker import HiringMailWorker
from portal.tracker.tables import open_database
from tests.told_clock import ToldClock
from tests.tracker.office import Office

SECRET = "a-secret-of-the-hiring-pages-1"
OWNER, RECRUITER, READER = "owner@acme.example", "recruiter@acme.example", "reader@acme.example"


class Outbox:
    """A mail server that records the emails sent to it."""

    def __init__(self) -> None:
        self.sent: list[Message] = []

    def send(self, message: Message) -> None:
        self.sent.append(message)

    def check(self) -> str | None:
        return None

    def to(self, address: str) -> list[Message]:
        return [one for one in self.sent if one.to.lower() == address.lower()]


@dataclass
class HiringBrowser:
    """One browser: it keeps cookies, and posts the hidden fields of the page that it shows."""

    client: httpx.Client
    slug: str
    page: str = ""

    def get(self, path: str = "") -> httpx.Response:
        """Open /{slug}/hiring{path}, following redirects."""
        response = self.client.get(f"/{self.slug}/hiring{path}", follow_redirects=True)
        self.page = response.text
        return response

    def post(self, path: str = "", **fields: str) -> httpx.Response:
        """Post a form of the page that is shown, following redirects."""
        response = self.client.post(
            f"/{self.slug}/hiring{path}", data={"token": self.token} | fields, follow_redirects=True
        )
        self.page = response.text
        return response

    @property
    def token(self) -> str:
        found = re.search(r'name="token" value="([^"]+)"', self.page)
        return found[1] if found else ""

    @property
    def words(self) -> str:
        """Return the text of the page's main part."""
        return " ".join(unescape(re.sub(r"<[^>]+>", " ", self.page.partition("<main")[2])).split())


@dataclass
class HiringSite:
    """The service with its hiring pages, and the company's office."""

    office: Office
    services: HiringServices
    mails: HiringMailWorker
    outbox: Outbox = field(default_factory=Outbox)

    def browser(self, slug: str = "acme") -> HiringBrowser:
        client = httpx.Client(transport=httpx.WSGITransport(app=self.office.app), base_url="http://127.0.0.1:8001")
        return HiringBrowser(client, slug)

    @property
    def company(self) -> HiringTenant:
        return administration.hiring_tenant(self.office.database, self.office.slug)

    def add(self, email: str, role: Role, slug: str = "acme") -> None:
        """Add a colleague, without an invitation."""
        company = administration.hiring_tenant(self.office.database, slug)
        now = self.office.clock.now()
        colleagues.add(self.office.database, None, company, email, role, by="test", locale="en", now=now)

    def visit(self, email: str = OWNER) -> HiringVisit:
        """Return the session data of a colleague, as the pages pass it on."""
        colleague = colleagues.find(self.office.database, self.company.id, email)
        assert colleague
        session = Session(self.office.slug, "", "", email, None, self.office.clock.now())
        return HiringVisit(self.company, colleague, session)

    def code_for(self, email: str) -> str:
        """Send waiting emails; return the code in the newest one to this address, or ""."""
        self.mails.send_what_is_due()
        found = re.search(r"^(\d{8})$", self.outbox.to(email)[-1].text, re.MULTILINE)
        return found[1] if found else ""

    def signed_in(self, email: str = OWNER, slug: str = "acme") -> HiringBrowser:
        """Return a browser in which a colleague has signed in."""
        browser = self.browser(slug)
        browser.get()
        browser.post(email=email)
        browser.post("/code", code=self.code_for(email))
        return browser


@contextmanager
def opened_hiring(url: str, clock: ToldClock, folder: Path, **settings: str) -> Iterator[HiringSite]:
    """Open the service at this database, with a company, an owner, a recruiter and a reader."""
    attachments = f"file:{folder / 'attachments'}"
    told = TrackerSettings(database_url=url, secret_key=SECRET, attachments=attachments, **settings)  # type: ignore[arg-type]  settings are named by the test
    database = open_database(url)
    services, outbox = services_of(told, SECRET, database, clock), Outbox()
    app = create_tracker(
        told, clock=clock, database=database, hiring=HiringMount(create_hiring(services), services.concurrency)
    )
    administration.add_tenant(database, clock, "acme", "Acme Robotics")
    key = administration.create_key(database, clock, "acme")
    company = administration.add_company(database, clock, "acme", "Acme Robotics")
    office = Office(database, clock, app, "acme", key, company)
    site = HiringSite(office, services, HiringMailWorker(services, outbox), outbox)
    for email, role in ((OWNER, Role.OWNER), (RECRUITER, Role.RECRUITER), (READER, Role.READER)):
        site.add(email, role)
    yield site
    database.close()
