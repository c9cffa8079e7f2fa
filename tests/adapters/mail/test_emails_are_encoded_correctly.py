"""A message becomes an email that programs show as intended, without header injection."""

from dataclasses import replace
from email import message_from_bytes, policy
from email.message import EmailMessage

import pytest

from portal.adapters.mail.message import Message
from portal.platform.errors import MailRefused


def read_back(message: Message) -> EmailMessage:
    found = message_from_bytes(message.as_email().as_bytes(), policy=policy.default)
    assert isinstance(found, EmailMessage)
    return found


def test_headers_are_those_of_one_message_to_one_person(message: Message) -> None:
    found = read_back(message)
    assert found["From"] == "Acme careers <careers@acme.example>"
    assert found["To"] == "marit.canary@example.org"
    assert found["Subject"] == "Your application has arrived"
    assert found["Date"] == "Wed, 04 Mar 2026 05:06:07 +0000"
    assert found["Message-ID"] == "<receipt-r-1@acme.example>"
    assert found["Auto-Submitted"] == "auto-generated"


def test_text_and_html_have_the_same_content_and_survive_encoding(message: Message) -> None:
    found = read_back(message)
    text, html = found.get_body(("plain",)), found.get_body(("html",))
    assert text is not None
    assert html is not None
    assert text.get_content().replace("\r\n", "\n") == message.text
    assert html.get_content().strip() == message.html
    assert message.as_email().as_bytes().isascii()


def test_a_plain_text_message_has_one_part(message: Message) -> None:
    found = read_back(replace(message, html=None))
    assert found.get_content_type() == "text/plain"


def test_names_subjects_and_domains_in_any_script_are_encoded(message: Message) -> None:
    found = read_back(
        replace(message, sender="Größe, Inc. <jobs@größe.example>", subject="あなたの応募 🎉", to="li@例え.example")
    )
    sender, to = found["From"].addresses[0], found["To"].addresses[0]
    assert (sender.display_name, sender.domain) == ("Größe, Inc.", "xn--gre-6ka8i.example")
    assert found["Subject"] == "あなたの応募 🎉"
    assert to.domain == "xn--r8jz45g.example"


def test_a_long_reference_stays_on_one_line(message: Message) -> None:
    assert read_back(replace(message, reference="r" * 100))["Message-ID"] == f"<{'r' * 100}@acme.example>"


@pytest.mark.parametrize("evil", ["x\r\nBcc: a@b", "x\nBcc: a@b", "x\rBcc: a@b", "x\0", "x\u2028y", "x\x85y"])
@pytest.mark.parametrize("member", ["sender", "to", "subject"])
def test_header_injection_is_prevented(message: Message, member: str, evil: str) -> None:
    value = f"{getattr(message, member)}{evil}"
    with pytest.raises(MailRefused) as raised:
        replace(message, **{member: value}).as_email()
    assert "canary" not in str(raised.value)


@pytest.mark.parametrize(
    "to", ["", "nobody", "@example.org", "canary@", "a@b, canary@example.org", "a@b..c", "canary@\ud800"]
)
def test_an_invalid_address_is_rejected_without_repeating_it(message: Message, to: str) -> None:
    with pytest.raises(MailRefused) as raised:
        replace(message, to=to).as_email()
    assert "canary" not in str(raised.value)
    assert raised.value.__cause__ is None


@pytest.mark.parametrize("reference", ["", "a b", "a>b", "ä", "r" * 101, "a/b", "../a", "a\n"])
def test_an_invalid_message_id_is_rejected(message: Message, reference: str) -> None:
    with pytest.raises(MailRefused):
        replace(message, reference=reference).as_email()


def test_a_lone_surrogate_is_rejected(message: Message) -> None:
    for member in ("subject", "text", "html"):
        with pytest.raises(MailRefused):
            replace(message, **{member: "x\ud800"}).as_email()


def test_a_logged_message_shows_no_personal_data(message: Message) -> None:
    assert "canary" not in repr(message)
    assert "arrived" not in repr(message)


ENCODED = (
    "=?utf-8?q?x=0d=0aBcc=3a=20v=40x.example?=",
    "=?utf-8?q?v=40x.example=0a=0aPay_at_e.vil/p?=",
    "=?utf-8?q?victim=40mail.example=2c?=",
    "=?utf-8?b?eA0KQmNjOiB2QHguZXhhbXBsZQ==?=",
)


@pytest.mark.parametrize("evil", ENCODED)
def test_an_encoded_word_is_rejected_as_address(message: Message, evil: str) -> None:
    for member in ("to", "sender"):
        with pytest.raises(MailRefused):
            replace(message, **{member: f"{evil}@y.example"}).as_email()


@pytest.mark.parametrize("evil", ENCODED)
def test_an_encoded_word_in_a_title_or_name_is_not_decoded(message: Message, evil: str) -> None:
    found = read_back(replace(message, subject=f"Welder {evil}", sender=f"Acme {evil} <careers@acme.example>"))
    assert found.keys() == read_back(message).keys()
    assert found["To"] == "marit.canary@example.org"
    assert "\n" not in found["Subject"]
    assert len(found["From"].addresses) == 1
    body = found.get_body(("plain",))
    assert body is not None
    assert body.get_content().replace("\r\n", "\n") == message.text


def test_the_envelope_names_the_recipient(message: Message) -> None:
    assert replace(message, to="li@例え.example").recipient == "li@xn--r8jz45g.example"
