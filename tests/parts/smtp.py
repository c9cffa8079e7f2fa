"""A real SMTP server (aiosmtpd) with replies chosen by the test."""

import asyncio
import ssl
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session

from tests.parts.process import free_port

HANGS = "hangs"


@dataclass  # without slots: aiosmtpd inspects every member, which fails with slots in Python 3.11.2
class SmtpServer:
    """The accepted messages, and the replies. A reply is a whole line, such as "451 4.3.0 later"."""

    port: int
    received: list[EmailMessage] = field(default_factory=list)
    envelopes: list[tuple[str | None, list[str]]] = field(default_factory=list)
    answer_to_recipient: str | None = None
    answer_to_data: str | None = None
    answer_to: Callable[[str], str | None] = lambda _: None
    """Reply by recipient. HANGS: no reply until `lets_go` is set."""
    lets_go: bool = False
    hanging: int = 0
    most_hanging: int = 0
    credentials: tuple[str, str] | None = None
    host: str = "127.0.0.1"

    @property
    def address(self) -> str:
        """Its address, as a value of PORTAL_MAIL."""
        return f"smtp://{self.host}:{self.port}"

    # aiosmtpd prescribes the names of these methods.
    async def handle_RCPT(  # noqa: N802
        self, _server: SMTP, _session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        said = self.answer_to_recipient or self.answer_to(address)
        if said == HANGS:
            await self._hang()
            said = "450 4.3.2 let go"
        if said is not None:
            return said
        envelope.rcpt_tos.append(address)
        envelope.rcpt_options.extend(options)
        return "250 OK"

    async def _hang(self) -> None:
        self.hanging += 1
        self.most_hanging = max(self.most_hanging, self.hanging)
        while not self.lets_go:  # noqa: ASYNC110  set by another thread, which asyncio.Event does not support
            await asyncio.sleep(0.05)
        self.hanging -= 1

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802
        if self.answer_to_data == HANGS:
            await self._hang()
            return "451 4.3.2 let go"
        if self.answer_to_data is not None:
            return self.answer_to_data
        content = envelope.original_content or b""
        message = message_from_bytes(content, policy=policy.default)
        assert isinstance(message, EmailMessage)
        self.received.append(message)
        self.envelopes.append((envelope.mail_from, list(envelope.rcpt_tos)))
        return "250 OK"

    def authenticate(
        self, _server: SMTP, _session: Session, _envelope: Envelope, _mechanism: str, data: object
    ) -> AuthResult:
        if not isinstance(data, LoginPassword) or self.credentials is None:
            return AuthResult(success=False, handled=False)
        right = (data.login.decode(), data.password.decode()) == self.credentials
        return AuthResult(success=right, handled=False)


@contextmanager
def running_smtp(
    *,
    credentials: tuple[str, str] | None = None,
    starttls: ssl.SSLContext | None = None,
    tls: ssl.SSLContext | None = None,
    host: str = "127.0.0.1",
) -> Iterator[SmtpServer]:
    """Run a private server. credentials: required by AUTH if given. starttls: offers STARTTLS if given."""
    server = SmtpServer(free_port(), credentials=credentials, host=host)
    controller = Controller(
        server,
        hostname=host,
        port=server.port,
        server_hostname="mail.invalid",
        ssl_context=tls,
        tls_context=starttls,
        authenticator=server.authenticate if credentials else None,
        auth_required=credentials is not None,
        auth_require_tls=starttls is not None,
        enable_SMTPUTF8=True,
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Requiring AUTH while not requiring TLS")
        controller.start()
        try:
            yield server
        finally:
            controller.stop()
