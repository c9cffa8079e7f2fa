"""Email through a mail server: SMTP with STARTTLS if the server offers it, or TLS from the first byte."""

import logging
import smtplib
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from portal.adapters.mail.message import Message
from portal.platform.errors import MailDelayed, MailError, MailRefused, MailUnavailable

log = logging.getLogger(__name__)

_TIMEOUT = 15.0
_CLOSING = 421
"""RFC 5321 §4.2.1: a server may send it at any point, and it concerns the whole service."""
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_UNENCRYPTED = "mail goes out unencrypted: the server offers no STARTTLS; use smtps:// or a server that offers STARTTLS"


@dataclass(frozen=True, slots=True)
class SmtpMailer:
    """One mail server; each message uses its own connection.

    implicit_tls: TLS from the start (port 465). Credentials are sent only over TLS or to this machine. timeout: seconds
    without a response.
    """

    host: str
    port: int
    implicit_tls: bool = False
    username: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    timeout: float = _TIMEOUT
    _has_warned: threading.Event = field(default_factory=threading.Event, init=False, repr=False, compare=False)

    def send(self, message: Message) -> None:
        """Send one message; it is accepted once the server answers 250 to all of it."""
        email = message.as_email()
        with _failing(), self._connected() as server:
            if not self._is_private(server) and not self._has_warned.is_set():
                self._has_warned.set()
                log.warning(_UNENCRYPTED)
            with _speaking_of_one():
                server.send_message(email, to_addrs=[message.recipient])

    def check(self) -> str | None:
        """Connect, sign in and send NOOP; return a warning if the connection is not encrypted."""
        with _failing(), self._connected() as server:
            code, _ = server.noop()
            if code != 250:
                raise MailUnavailable(f"the mail server answers NOOP with {code}")
            return None if self._is_private(server) else _UNENCRYPTED

    @contextmanager
    def _connected(self) -> Iterator[smtplib.SMTP]:
        context = ssl.create_default_context()
        if self.implicit_tls:
            server: smtplib.SMTP = smtplib.SMTP_SSL(self.host, self.port, timeout=self.timeout, context=context)
        else:
            server = smtplib.SMTP(self.host, self.port, timeout=self.timeout)
        try:
            self._greet(server, context)
            yield server
            with suppress(smtplib.SMTPException, OSError):  # the message is accepted already, even if QUIT fails
                server.quit()
        finally:
            server.close()

    def _greet(self, server: smtplib.SMTP, context: ssl.SSLContext) -> None:
        server.ehlo_or_helo_if_needed()
        if not self.implicit_tls and server.has_extn("starttls"):
            server.starttls(context=context)
            server.ehlo()
        if self.username is not None:
            if not self._is_private(server):
                raise MailUnavailable("the mail server offers no TLS, so the credentials were not sent: use smtps://")
            server.login(self.username, self.password or "")

    def _is_private(self, server: smtplib.SMTP) -> bool:
        """Return whether nobody on the network can read the connection."""
        return self.host in _LOOPBACK or isinstance(server.sock, ssl.SSLSocket)


@contextmanager
def _speaking_of_one() -> Iterator[None]:
    """Raise errors from MAIL FROM onwards as errors of this message, whatever the server does with others."""
    try:
        yield
    except smtplib.SMTPRecipientsRefused as exc:
        raise _answered(max(code for code, _ in exc.recipients.values())) from None
    except smtplib.SMTPResponseException as exc:
        raise _answered(exc.smtp_code) from None
    except smtplib.SMTPNotSupportedError:
        raise MailRefused("the mail server cannot take an address of that script") from None
    except (smtplib.SMTPException, OSError) as exc:
        raise MailDelayed(f"the mail server did not finish with this message ({type(exc).__name__})") from None


@contextmanager
def _failing() -> Iterator[None]:
    # Not chained: servers repeat the recipient's address in their messages.
    try:
        yield
    except smtplib.SMTPAuthenticationError as exc:
        raise MailUnavailable(
            f"the mail server rejects the user or password of PORTAL_MAIL ({exc.smtp_code}): write what is "
            "not a letter, a digit or one of - . _ ~ in them as %XX"
        ) from None
    except (smtplib.SMTPConnectError, smtplib.SMTPHeloError) as exc:
        raise MailUnavailable(f"the mail server rejects the connection ({exc.smtp_code})") from None
    except smtplib.SMTPResponseException as exc:
        raise MailUnavailable(f"the mail server refuses to continue ({exc.smtp_code})") from None
    except smtplib.SMTPNotSupportedError:
        raise MailUnavailable("the mail server offers no sign-in that PORTAL_MAIL could use") from None
    except (smtplib.SMTPException, OSError) as exc:
        raise MailUnavailable(f"the mail server is not responding ({type(exc).__name__}){_todo(exc)}") from None


def _todo(exc: Exception) -> str:
    """Return what may be wrong with PORTAL_MAIL if no SMTP server responds there."""
    if isinstance(exc, ssl.SSLCertVerificationError):
        return ": its certificate does not hold for that name, or nobody whom this machine trusts has signed it"
    if isinstance(exc, ssl.SSLError):
        return ": it does not begin with TLS there; smtp:// takes STARTTLS, usually on port 587, smtps:// is for 465"
    if isinstance(exc, ConnectionRefusedError):
        return ": nothing is listening at host and port of PORTAL_MAIL"
    if isinstance(exc, socket.gaierror):
        return ": the host in PORTAL_MAIL has no address"
    if isinstance(exc, smtplib.SMTPServerDisconnected | TimeoutError):
        return ": it says nothing; a port that begins with TLS, usually 465, wants smtps://"
    return ""


def _answered(code: int) -> MailError:
    if 500 <= code < 600:
        return MailRefused(f"the mail server will not take the message ({code})")
    if code == _CLOSING:
        return MailUnavailable(f"the mail server closes ({code})")
    return MailDelayed(f"the mail server takes the message later ({code})")
