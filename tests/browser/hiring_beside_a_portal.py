"""An empty service with its hiring pages, a portal that shows its jobs, and a mail server, as operators start them."""

import re
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path

from playwright.sync_api import BrowserContext

from tests.builders import SECRET
from tests.delivery.scene import tenant_file
from tests.journeys.server import command
from tests.parts.chromium import TIMEOUT
from tests.parts.command import portal
from tests.parts.process import accepts, free_port, running
from tests.parts.smtp import SmtpServer, running_smtp
from tests.schemas import PORTAL, TRACKER, sqlite_copy


@dataclass(frozen=True)
class HiringBesideAPortal:
    """portal, service: addresses. said: the output of `colleague add`, by the company's slug."""

    folder: Path
    portal: str
    service: str
    mails: SmtpServer
    said: dict[str, str]

    def mail(self, to: str, about: str) -> EmailMessage:
        """Wait for an email to this address with these words in its subject."""
        until = time.monotonic() + TIMEOUT / 1_000
        while time.monotonic() < until:
            for one in reversed(self.mails.received[:]):
                if one["To"] == to and about in one["Subject"]:
                    return one
            time.sleep(0.05)
        raise AssertionError(f"no email about {about}; there are {[one['Subject'] for one in self.mails.received]}")

    def cvs(self, slug: str) -> list[Path]:
        return [one for one in (self.folder / "attachments" / slug).rglob("*") if one.is_file()]


def text(mail: EmailMessage) -> str:
    body = mail.get_body(("plain",))
    assert body
    return str(body.get_content()).replace("\r\n", "\n")


def sign_in(context: BrowserContext, at: HiringBesideAPortal, address: str, email: str) -> None:
    """Enter the address and the code that is sent to it."""
    page = context.new_page()
    page.goto(address)
    page.get_by_label("Email address").fill(email)
    page.get_by_role("button", name="Send me a code").click()
    page.get_by_role("heading", name="Enter your code").wait_for()
    code = re.search(r"^\d{8}$", text(at.mail(email, "code")), re.MULTILINE)
    assert code
    page.get_by_label("Code", exact=True).fill(code[0])
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("heading", name="Jobs", exact=True).wait_for()


@contextmanager
def hiring_beside_a_portal(folder: Path, slugs: tuple[str, ...]) -> Iterator[HiringBesideAPortal]:
    """Start everything. Each company has an owner, and nothing else."""
    with ExitStack() as stack:
        mails, ports = stack.enter_context(running_smtp()), (free_port(), free_port())
        site, service = (f"http://127.0.0.1:{port}" for port in ports)
        own = {
            "PORTAL_DATABASE_URL": sqlite_copy(folder / "portal.db", PORTAL),
            "PORTAL_SECRET_KEY": SECRET,
            "PORTAL_ATTACHMENTS": f"file:{folder / 'attachments'}",
            "PORTAL_TENANTS": str(folder / "tenants"),
            "PORTAL_MAIL": mails.address,
            "PORTAL_BASE_URL": site,
            "PORTAL_SYNC_INTERVAL": "1",
            "TRACKER_DATABASE_URL": sqlite_copy(folder / "tracker.db", TRACKER),
            "TRACKER_SECRET_KEY": f"{SECRET} of the hiring pages",
            "TRACKER_MAIL": mails.address,
            "TRACKER_BASE_URL": service,
        }
        (folder / "tenants").mkdir()
        said = {slug: _company(folder, slug, service, own) for slug in slugs}
        for words, port in ((("tracker", "serve"), ports[1]), (("serve",), ports[0]), (("worker",), None)):
            argv = command(*words, *(["--port", str(port)] if port else []))
            log = folder / f"{words[0]}.log"
            stack.enter_context(running(argv, log=log, ready=lambda: True, env=own))
        while not all(map(accepts, ports)):
            time.sleep(0.05)
        yield HiringBesideAPortal(folder, site, service, mails, said)


def _company(folder: Path, slug: str, service: str, own: dict[str, str]) -> str:
    """Add a company by the product's commands; return what the last one said."""
    (folder / "tenants" / f"{slug}.toml").write_text(tenant_file(slug, service, key=folder / f"{slug}.key"))
    done = [
        portal("tracker", *words, environment=own)
        for words in (
            ("tenant", "add", slug, f"{slug.title()} Robotics"),
            ("key", "create", slug),
            ("colleague", "add", slug, f"owner@{slug}.example", "--role", "owner"),
        )
    ]
    assert [one.returncode for one in done] == [0, 0, 0], done
    (folder / f"{slug}.key").write_text(done[1].stdout.strip())
    return done[2].stderr
