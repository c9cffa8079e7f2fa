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
class Where:
    """How a company is reached, and the reader's language. home: prefix of every path; lang: suffix."""

    site: str
    home: str
    asks: str = ""
    lang: str = ""


OWN_HOST, TWO = 'hosts = ["careers.acme.example"]', 'locales = ["en", "de"]'
PLACES = {
    "under its slug": Where("", f"{BASE}/acme"),
    "on its own host": Where(OWN_HOST, "http://careers.acme.example:8080"),
    "in its second language": Where(TWO, f"{BASE}/acme", "?lang=de", "lang=de"),
    "in its second language on its own host": Where(
        f"{OWN_HOST}\n{TWO}", "http://careers.acme.example:8080", "?lang=de", "lang=de"
    ),
    "in a language with a region": Where('locales = ["en", "de-AT"]', f"{BASE}/acme", "?lang=de-AT", "lang=de-AT"),
    "where that language is the first": Where('locales = ["de-AT", "en"]', f"{BASE}/acme", "?lang=de-AT"),
    "in a script of its own": Where('locales = ["en", "ar"]', f"{BASE}/acme", "?lang=ar", "lang=ar"),
}


@pytest.fixture(params=PLACES.values(), ids=PLACES)
def where(request: pytest.FixtureRequest) -> Where:
    return request.param


@pytest.fixture
def acme(tmp_path: Path, where: Where):
    made = open_acme(tmp_path / "portal", file=f"[site]\n{where.site}\n{FILE}", base_url=BASE)
    yield made
    made.parts.database.close()


def letter_to(acme: Portal, address: str) -> EmailMessage:
    acme.work.deliver_what_is_due()
    return next(one for one in reversed(mailbox(acme)) if one["To"] == address)


def links(letter: EmailMessage) -> set[str]:
    """Return the links of both parts, which must be the same."""
    plain = set(re.findall(r"https?://\S+", text(letter)))
    html = letter.get_body(("html",))
    assert html is not None
    assert plain == {unescape(link) for link in re.findall(r'href="([^"]+)"', html.get_content())}
    return plain


def with_language(path: str, where: Where) -> str:
    return f"{where.home}{path}" + (f"{'&' if '?' in path else '?'}{where.lang}" if where.lang else "")


def apply(acme: Portal, where: Where) -> str:
    with acme.browser() as client:
        address = Applicant(client, f"/acme/jobs/job-1/apply{where.asks}").receipt(email=ADA)
    return address.partition("?")[0].rsplit("/", 1)[1]


def test_links_of_the_receipt(acme: Portal, where: Where):
    reference = apply(acme, where)
    assert links(letter_to(acme, ADA)) == {with_language(f"/applications/{reference}", where)}


def test_links_of_the_email_about_a_missing_profile(acme: Portal, where: Where):
    visitor = Visitor(acme)
    page = visitor.get(f"/profile{where.asks}")
    assert visitor.post(f"/profile{where.asks}", page, email=NOBODY).status_code == 303
    assert links(letter_to(acme, NOBODY)) == {with_language("/", where)}


def test_links_of_the_email_about_a_rejected_application(acme: Portal, where: Where):
    reference = apply(acme, where)
    with acme.parts.database.write() as connection:
        acme.work._handlers["application"].settled(connection, [reference], OutboxState.DEAD, "Rejected")
    refused = letter_to(acme, ADA)
    assert "Welder" in refused["Subject"]
    assert links(refused) == {with_language("/", where)}


def test_links_of_an_invitation(acme: Portal, where: Where):
    language = where.asks.removeprefix("?lang=") or "en"
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
    (link,) = links(letter_to(acme, ADA))
    given = re.sub(r"(?<=to=)[^&]+", "SEALED", link)
    assert given == with_language("/profile?to=SEALED", where)
    assert Visitor(acme).get(link.removeprefix(where.home)).typed["email"] == ADA


def test_an_invitation_by_command_is_in_the_companys_first_language(acme: Portal, where: Where):
    assert ChangeScene(acme, Relay()).operator("profile", "invite", "acme", ADA).exit_code == 0
    acme.parts.clock.pass_time(10**9)
    (link,) = links(letter_to(acme, ADA))
    assert link.startswith(f"{where.home}/profile?to=")
    assert "lang=" not in link
