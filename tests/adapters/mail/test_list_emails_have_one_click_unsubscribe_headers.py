"""Unsubscribe headers (RFC 2369, RFC 8058) are complete, or the message is rejected."""

from datetime import UTC, datetime

import pytest

from portal.adapters.mail.message import Message
from portal.platform.errors import MailRefused

LONG = f"https://careers.a-rather-long-company-name.example/acme/alerts/{'0' * 32}/end?key={'a1' * 32}&lang=pt-BR"


def message(unsubscribe: str | None, to: str = "eve@people.example") -> Message:
    return Message(
        sender="Acme <careers@acme.example>",
        to=to,
        subject="New jobs",
        text="There are some.",
        reference="r-1",
        at=datetime(2026, 6, 1, tzinfo=UTC),
        unsubscribe=unsubscribe,
    )


@pytest.mark.parametrize("to", ["eve@people.example", "jürgen@people.example"])
def test_a_url_longer_than_a_line_is_neither_split_nor_encoded(to: str):
    sent = message(LONG, to).as_email().as_bytes()
    assert f"\r\nList-Unsubscribe: <{LONG}>\r\n".encode() in sent
    assert b"\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n" in sent


def test_emails_without_subscription_have_no_unsubscribe_headers():
    assert b"List-" not in message(None).as_email().as_bytes()


@pytest.mark.parametrize(
    "address",
    [
        "https://x.example/\r\nBcc: all@people.example",
        "https://x.example/> , <mailto:all@people.example",
        "https://x.example/a b",
        "https://x.example/ä",
        "mailto:all@people.example",
        "https://x.example/" + "a" * 900,
        "",
    ],
)
def test_header_injection_is_rejected(address: str):
    with pytest.raises(MailRefused):
        message(address).as_email()
