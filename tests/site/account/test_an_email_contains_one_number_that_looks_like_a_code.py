"""Of several numbers with eight digits in an email, only the code is written as such."""

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from portal.people.signin.deliver import without_other_codes
from tests import builders
from tests.builders import Portal
from tests.site.account.candidate import ADA, Visitor, candidate, code_in, mailbox, text
from tests.site.account.conftest import FILE
from tests.site.account.test_a_new_address_is_confirmed_before_it_is_sent import ask_to_add, post

SLUG = "12345678"
RUN = re.compile(r"(?<!\d)\d{8}(?!\d)")


@pytest.fixture(params=["https://87654321.careers.example", "https://careers.example:44443"])
def agency(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Portal]:
    made = builders.portal(tmp_path / "portal", base_url=request.param)
    made.add_tenant(SLUG, "Bureau 12345678", FILE)
    made.service.load(SLUG, [candidate()])
    made.work.index_what_is_due()
    yield made
    made.parts.database.close()


def test_a_sign_in_code_and_a_code_for_a_new_address_are_unique_in_their_emails(agency: Portal):
    ada = Visitor(agency, SLUG)
    ada.ask()
    letter = mailbox(agency)[-1]
    assert letter["Subject"] == f"{code_in(letter)} is your code for Bureau 1234 5678"
    assert ada.enter(code_in(letter)).status_code == 303
    prove = ask_to_add(ada)
    agency.work.deliver_what_is_due()
    letter = mailbox(agency)[-1]
    assert "Bureau 1234 5678" in text(letter)
    assert "Received" in post(ada, prove, code=code_in(letter)).page.words


def test_no_number_in_an_email_without_a_code_looks_like_one_and_its_link_leads_to_the_jobs(agency: Portal):
    visitor = Visitor(agency, SLUG)
    visitor.ask("nobody@people.example")
    words = text(mailbox(agency)[-1])
    (link,) = re.findall(r"https://\S+", words)
    assert RUN.findall(words.replace(urlsplit(link).netloc, "")) == []
    assert link.startswith(agency.parts.settings.base_url)
    assert "Bureau 12345678" in visitor.client.get(link).text
    assert ADA not in words


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("Bureau 12345678, 123456789 and 1234567", "Bureau 1234 5678, 123456789 and 1234567"),
        ("see https://12345678.example/a/12345678?x=12345678#12345678 now", None),
        ("١٢٣٤٥٦٧٨ in another script", "١٢٣٤ ٥٦٧٨ in another script"),
        ("the same as the code, 11112222, but not alone", "the same as the code, 1111 2222, but not alone"),
    ],
)
def test_every_other_run_of_digits_is_broken_up(line: str, left: str | None):
    words = without_other_codes(f"{line}\n\n11112222\n", "11112222")
    assert RUN.findall(words) == ["11112222"]
    assert left is None or words.startswith(left)
