"""Links in emails have the origin and path of the company's pages, and the email's language."""

import re
from dataclasses import dataclass
from email.message import EmailMessage
from html import unescape
from pathlib import Path

import pytest

from portal.background.mails import queue as mail_queue
from portal.background.outbox.states import OutboxState
from portal.site.account import signing_in
from tests.builders import Portal
from tests.delivery.record_changes.change_scene import ChangeScene, Relay
from tests.site.account.candidate import ADA, Visitor, mailbox, open_acme, text
from tests.site.account.conftest import FILE
from tests.site.apply.applicant import Applicant

BASE = "http://portal.example:8080"
NOBODY = "nobody@people.example"


@dataclass(frozen=True)
class SiteAddress:
    """How a company is reached, and the reader's language. home: prefix of every path; lang: suffix."""

    site: str
    home: str
    asks: str = ""
    lang: str = ""


OWN_HOST, TWO = 'hosts = ["careers.acme.example"]', 'locales = ["en", "de"]'
PLACES = {
    "under its slug": SiteAddress("", f"{BASE}/acme"),
    "on its own host": SiteAddress(OWN_HOST, "http://careers.acme.example:8080"),
    "in its second language": SiteAddress(TWO, f"{BASE}/acme", "?lang=de", "lang=de"),
    "in its second language on its own host": SiteAddress(
        f"{OWN_HOST}\n{TWO}", "http://careers.acme.example:8080", "?lang=de", "lang=de"
    ),
    "in a language with a region": SiteAddress(
        'locales = ["en", "de-AT"]', f"{BASE}/acme", "?lang=de-AT", "lang=de-AT"
    ),
    "where that language is the first": SiteAddress('locales = ["de-AT", "en"]', f"{BASE}/acme", "?lang=de-AT"),
    "in a script of its own": SiteAddress('locales = ["en", "ar"]', f"{BASE}/acme", "?lang=ar", "lang=ar"),
}


@pytest.fixture(params=PLACES.values(), ids=PLACES)
def site(request: pytest.FixtureRequest) -> SiteAddress:
    return request.param


@pytest.fixture
def acme(tmp_path: Path, site: SiteAddress):
    made = open_acme(tmp_path / "portal", file=f"[site]\n{site.site}\n{FILE}", base_url=BASE)
    yield made
    made.parts.database.close()


def email_to(acme: Portal, address: str) -> EmailMessage:
    acme.work.deliver_what_is_due()
    return next(one for one in reversed(mailbox(acme)) if one["To"] == address)


def links(letter: EmailMessage) -> set[str]:
    """Return the links of both parts, which must be the same."""
    plain = set(re.findall(r"https?://\S+", text(letter)))
    html = letter.get_body(("html",))
    assert html is not None
    assert plain == {unescape(link) for link in re.findall(r'href="([^"]+)"', html.get_content())}
    return plain


def with_language(path: str, site: SiteAddress) -> str:
    return f"{site.home}{path}" + (f"{'&' if '?' in path else '?'}{site.lang}" if site.lang else "")


def apply(acme: Portal, site: SiteAddress) -> str:
    with acme.browser() as client:
        address = Applicant(client, f"/acme/jobs/job-1/apply{site.asks}").receipt(email=ADA)
    return address.partition("?")[0].rsplit("/", 1)[1]


def test_links_of_the_receipt(acme: Portal, site: SiteAddress):
    reference = apply(acme, site)
    assert links(email_to(acme, ADA)) == {with_language(f"/applications/{reference}", site)}


def test_links_of_the_email_about_a_missing_profile(acme: Portal, site: SiteAddress):
    visitor = Visitor(acme)
    page = visitor.get(f"/profile{site.asks}")
    assert visitor.post(f"/profile{site.asks}", page, email=NOBODY).status_code == 303
    assert links(email_to(acme, NOBODY)) == {with_language("/", site)}


def test_links_of_the_email_about_a_rejected_application(acme: Portal, site: SiteAddress):
    reference = apply(acme, site)
    with acme.parts.database.write() as connection:
        acme.work._handlers["application"].settled(connection, [reference], OutboxState.DEAD, "Rejected")
    refused = email_to(acme, ADA)
    assert "Welder" in refused["Subject"]
    assert links(refused) == {with_language("/", site)}


def test_links_of_an_invitation(acme: Portal, site: SiteAddress):
    language = site.asks.removeprefix("?lang=") or "en"
    with acme.parts.database.write() as connection:
        mail_queue.send(
            connection,
            acme.parts.seal,
            tenant="acme",
            template="invitation",
            locale=language,
            recipient=ADA,
            facts={"to": signing_in.invitation_for(acme.parts.seal, "acme", ADA)},
            now=acme.parts.clock.now(),
        )
    (link,) = links(email_to(acme, ADA))
    given = re.sub(r"(?<=to=)[^&]+", "SEALED", link)
    assert given == with_language("/profile?to=SEALED", site)
    assert Visitor(acme).get(link.removeprefix(site.home)).typed["email"] == ADA


def test_an_invitation_by_command_is_in_the_companys_first_language(acme: Portal, site: SiteAddress):
    assert ChangeScene(acme, Relay()).operator("profile", "invite", "acme", ADA).exit_code == 0
    acme.parts.clock.pass_time(10**9)
    (link,) = links(email_to(acme, ADA))
    assert link.startswith(f"{site.home}/profile?to=")
    assert "lang=" not in link
