"""Against a real SMTP server: accepted, deferred, rejected and unreachable each become the matching result or error."""

import logging
import os
import socket
import ssl
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from portal.adapters.mail.message import Message
from portal.adapters.mail.transports import SmtpMailer, open_mailer
from portal.platform.errors import MailDelayed, MailError, MailRefused, MailUnavailable
from tests.parts.process import free_port
from tests.parts.smtp import SmtpServer, running_smtp

ELSEWHERE = "127.0.0.2"
"""This machine too, and not one of the names that mail takes for it: no other can be reached from a test."""


def fails(address: str, message: Message, error: type[MailError]) -> str:
    with pytest.raises(error) as raised:
        open_mailer(address).send(message)
    assert "canary" not in str(raised.value)
    assert raised.value.__cause__ is None
    return str(raised.value)


def test_a_message_arrives_unchanged(smtp: SmtpServer, message: Message) -> None:
    open_mailer(smtp.address).send(message)
    (found,) = smtp.received
    assert found["Message-ID"] == "<receipt-r-1@acme.example>"
    text = found.get_body(("plain",))
    assert text is not None
    assert text.get_content().replace("\r\n", "\n") == message.text
    assert smtp.envelopes == [("careers@acme.example", ["marit.canary@example.org"])]


def test_non_ascii_addresses_are_delivered_if_the_server_supports_them(smtp: SmtpServer, message: Message) -> None:
    open_mailer(smtp.address).send(replace(message, to="josé@example.org"))
    assert smtp.envelopes == [("careers@acme.example", ["josé@example.org"])]


@pytest.mark.parametrize(
    ("answer", "whose"),
    [
        ("451 4.3.0 marit.canary later", MailDelayed),
        ("450 4.2.1 busy", MailDelayed),
        ("452 4.2.2 full", MailDelayed),
        ("421 4.7.0 too many", MailUnavailable),
    ],
)
def test_temporary_errors_defer_one_message_or_all(
    smtp: SmtpServer, message: Message, answer: str, whose: type[MailError]
) -> None:
    smtp.answer_to_recipient = answer
    assert answer[:3] in fails(smtp.address, message, whose)
    smtp.answer_to_recipient, smtp.answer_to_data = None, answer
    assert answer[:3] in fails(smtp.address, message, whose)
    smtp.answer_to_data = None
    open_mailer(smtp.address).send(message)
    assert len(smtp.received) == 1


@pytest.mark.parametrize("answer", ["550 5.1.1 marit.canary unknown", "554 5.7.1 spam", "552 5.3.4 too big"])
def test_permanent_errors_are_final(smtp: SmtpServer, message: Message, answer: str) -> None:
    smtp.answer_to_recipient = answer
    assert answer[:3] in fails(smtp.address, message, MailRefused)
    smtp.answer_to_recipient, smtp.answer_to_data = None, answer
    assert answer[:3] in fails(smtp.address, message, MailRefused)
    assert smtp.received == []


def test_correct_credentials_are_accepted(message: Message) -> None:
    with running_smtp(credentials=("portal@acme", "p@ss:/ word")) as server:
        mailer = open_mailer(f"smtp://portal%40acme:p%40ss%3A%2F%20word@127.0.0.1:{server.port}")
        mailer.check()
        mailer.send(message)
        assert len(server.received) == 1


def test_wrong_credentials_defer_the_message(message: Message) -> None:
    with running_smtp(credentials=("portal", "right")) as server:
        said = fails(f"smtp://portal:hunter2@127.0.0.1:{server.port}", message, MailUnavailable)
        assert "PORTAL_MAIL" in said
        assert "hunter2" not in said
        with pytest.raises(MailUnavailable):
            open_mailer(f"smtp://portal:hunter2@127.0.0.1:{server.port}").check()


def test_missing_credentials_are_a_misconfiguration(message: Message) -> None:
    with running_smtp(credentials=("portal", "right")) as server:
        with pytest.raises(MailError):
            open_mailer(server.address).send(message)
        assert server.received == []


def test_a_refused_connection_is_unavailable(message: Message) -> None:
    assert "ConnectionRefusedError" in fails(f"smtp://127.0.0.1:{free_port()}", message, MailUnavailable)


def test_an_unknown_host_name_is_unavailable(message: Message) -> None:
    fails("smtp://mail.invalid:25", message, MailUnavailable)


def test_a_silent_server_times_out(message: Message) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        mailer = SmtpMailer("127.0.0.1", silent.getsockname()[1], timeout=0.3)
        with pytest.raises(MailUnavailable):
            mailer.send(message)


def test_the_preflight_check_sends_no_email(smtp: SmtpServer) -> None:
    open_mailer(smtp.address).check()
    assert smtp.received == []


def test_starttls_is_used_if_offered(message: Message, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = trusted_server(tmp_path, monkeypatch)
    with running_smtp(credentials=("portal", "right"), starttls=context) as server:
        open_mailer(f"smtp://portal:right@localhost:{server.port}").send(message)
        assert len(server.received) == 1


def test_unencrypted_sending_is_logged_once(message: Message, caplog: pytest.LogCaptureFixture) -> None:
    with running_smtp(host=ELSEWHERE) as server, caplog.at_level(logging.WARNING, "portal.adapters.mail"):
        mailer = open_mailer(server.address)
        assert "unencrypted" in (mailer.check() or "")
        assert not caplog.messages
        for _ in range(3):
            mailer.send(message)
    (said,) = caplog.messages
    assert "unencrypted" in said
    assert "STARTTLS" in said
    assert "canary" not in said


def test_local_or_encrypted_sending_is_not_logged(
    message: Message,
    smtp: SmtpServer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    context = trusted_server(tmp_path, monkeypatch, ELSEWHERE)
    with (
        running_smtp(starttls=context, host=ELSEWHERE) as server,
        caplog.at_level(logging.WARNING, "portal.adapters.mail"),
    ):
        for address in (smtp.address, server.address):
            mailer = open_mailer(address)
            assert mailer.check() is None
            mailer.send(message)
    assert not caplog.messages


def test_smtps_uses_tls_from_the_first_byte(message: Message, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    context = trusted_server(tmp_path, monkeypatch)
    with running_smtp(tls=context) as server:
        open_mailer(f"smtps://localhost:{server.port}").send(message)
        assert len(server.received) == 1


def test_an_untrusted_certificate_gets_no_message(
    message: Message, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    context = trusted_server(tmp_path, monkeypatch)
    monkeypatch.setenv("SSL_CERT_FILE", os.devnull)
    with running_smtp(starttls=context) as server:
        said = fails(f"smtp://localhost:{server.port}", message, MailUnavailable)
        assert "SSLCertVerificationError" in said
        assert server.received == []


def _named(host: str) -> x509.GeneralName:
    return x509.IPAddress(ip_address(host)) if host == ELSEWHERE else x509.DNSName(host)


def trusted_server(folder: Path, monkeypatch: pytest.MonkeyPatch, host: str = "localhost") -> ssl.SSLContext:
    """Yield a server's TLS context for that host, with a certificate that this process trusts during the test."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([_named(host)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    paths = folder / "certificate.pem", folder / "key.pem"
    paths[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    monkeypatch.setenv("SSL_CERT_FILE", str(paths[0]))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*paths)
    return context
