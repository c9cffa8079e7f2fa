"""Emails to a public mail server wait if it has no TLS, unless an operator allows unencrypted sending."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from portal.adapters.mail.message import Message
from portal.adapters.mail.transports import open_mailer
from portal.platform.config.settings import Exemption
from portal.platform.errors import MailUnavailable
from tests.adapters.mail.test_responses_of_mail_servers_become_the_right_errors import trusted_server
from tests.parts.smtp import SmtpServer, running_smtp

ON_THE_INTERNET = "smtp.example"
IN_THE_PRIVATE_NETWORK = "smtp.acme.internal"


@pytest.fixture(autouse=True)
def _names(monkeypatch: pytest.MonkeyPatch) -> None:
    """Resolve both names to this machine, because no test may leave it."""
    ask = socket.getaddrinfo

    def here(host: str, *others: object, **more: object) -> object:
        name = "127.0.0.1" if host in {ON_THE_INTERNET, IN_THE_PRIVATE_NETWORK} else host
        return ask(name, *others, **more)  # type: ignore[arg-type]  passed on unchanged

    monkeypatch.setattr(socket, "getaddrinfo", here)


@pytest.fixture
def smtp() -> Iterator[SmtpServer]:
    with running_smtp() as server:
        yield server


def test_nothing_is_sent_and_the_preflight_check_names_the_remedy(smtp: SmtpServer, message: Message) -> None:
    mailer = open_mailer(f"smtp://{ON_THE_INTERNET}:{smtp.port}", {Exemption.SERVICE_HTTP})
    with pytest.raises(MailUnavailable, match=r"STARTTLS.*PORTAL_ALLOW_INSECURE=smtp-clear"):
        mailer.send(message)
    with pytest.raises(MailUnavailable, match=r"use smtps://"):
        mailer.check()
    assert (smtp.received, smtp.envelopes) == ([], [])


def test_an_operator_can_allow_unencrypted_sending_and_is_warned(smtp: SmtpServer, message: Message) -> None:
    mailer = open_mailer(f"smtp://{ON_THE_INTERNET}:{smtp.port}", {Exemption.SMTP_CLEAR})
    mailer.send(message)
    assert len(smtp.received) == 1
    assert "unencrypted" in (mailer.check() or "")


def test_a_server_in_the_private_network_needs_no_tls(smtp: SmtpServer, message: Message) -> None:
    open_mailer(f"smtp://{IN_THE_PRIVATE_NETWORK}:{smtp.port}").send(message)
    assert len(smtp.received) == 1


def test_starttls_is_sufficient(message: Message, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = trusted_server(tmp_path, monkeypatch, ON_THE_INTERNET)
    with running_smtp(starttls=context) as server:
        open_mailer(f"smtp://{ON_THE_INTERNET}:{server.port}").send(message)
        assert len(server.received) == 1


def test_a_password_is_never_sent_unencrypted(message: Message) -> None:
    with running_smtp(credentials=("portal", "hunter2")) as server:
        mailer = open_mailer(f"smtp://portal:hunter2@{ON_THE_INTERNET}:{server.port}", {Exemption.SMTP_CLEAR})
        with pytest.raises(MailUnavailable, match="the credentials were not sent"):
            mailer.send(message)
        assert server.received == []
