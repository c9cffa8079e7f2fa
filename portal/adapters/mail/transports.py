"""Opens the mailer that PORTAL_MAIL names: a mail server, Amazon SES (ses.py), or a folder for trials.

SMTP uses STARTTLS if the server offers it, or TLS from the first byte; without either, a server on the internet is sent
nothing, unless an operator allows it. A folder gets one .eml for each message.
"""

import logging
import os
import smtplib
import socket
import ssl
import tempfile
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit

from portal.adapters.mail.message import Mailer, Message
from portal.platform.config import private_files
from portal.platform.config.settings import Exemption
from portal.platform.config.variables import is_private_host
from portal.platform.errors import MailDelayed, MailError, MailRefused, MailUnavailable, SettingsError

log = logging.getLogger(__name__)

_TIMEOUT = 15.0
_CLOSING = 421
"""RFC 5321 §4.2.1: a server may send it at any point, and it concerns the whole service."""
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_UNENCRYPTED = "mail goes out unencrypted: the server offers no STARTTLS; use smtps:// or a server that offers STARTTLS"
_NOT_UNENCRYPTED = (
    "emails wait, because the mail server is on the internet and offers no STARTTLS: use smtps:// or a server that "
    f"offers STARTTLS; PORTAL_ALLOW_INSECURE={Exemption.SMTP_CLEAR} allows sending them unencrypted"
)


@dataclass(frozen=True, slots=True)
class SmtpMailer:
    """One mail server; each message uses its own connection.

    implicit_tls: TLS from the start (port 465). Credentials are sent only over TLS or to this machine. timeout: seconds
    without a response. may_be_unencrypted: whether emails may cross the internet unencrypted.
    """

    host: str
    port: int
    implicit_tls: bool = False
    username: str | None = field(default=None, repr=False)
    password: str | None = field(default=None, repr=False)
    timeout: float = _TIMEOUT
    may_be_unencrypted: bool = False
    _has_warned: threading.Event = field(default_factory=threading.Event, init=False, repr=False, compare=False)
    _tls: ssl.SSLContext = field(default_factory=ssl.create_default_context, init=False, repr=False, compare=False)
    """One for all messages: loading the certificate authorities takes 30 ms of CPU time."""

    def send(self, message: Message) -> None:
        """Send one message; it is accepted once the server answers 250 to all of it."""
        email = message.as_email()
        with _server_errors(), self._connected() as server:
            if not self._is_private(server) and not self._has_warned.is_set():
                self._has_warned.set()
                log.warning(_UNENCRYPTED)
            with _message_errors():
                server.send_message(email, to_addrs=[message.recipient])

    def check(self) -> str | None:
        """Connect, sign in and send NOOP; return a warning if the connection is not encrypted."""
        with _server_errors(), self._connected() as server:
            code, _ = server.noop()
            if code != 250:
                raise MailUnavailable(f"the mail server answers NOOP with {code}")
            return None if self._is_private(server) else _UNENCRYPTED

    @contextmanager
    def _connected(self) -> Iterator[smtplib.SMTP]:
        if self.implicit_tls:
            server: smtplib.SMTP = smtplib.SMTP_SSL(self.host, self.port, timeout=self.timeout, context=self._tls)
        else:
            server = smtplib.SMTP(self.host, self.port, timeout=self.timeout)
        try:
            self._greet(server)
            yield server
            with suppress(smtplib.SMTPException, OSError):  # the message is accepted already, even if QUIT fails
                server.quit()
        finally:
            server.close()

    def _greet(self, server: smtplib.SMTP) -> None:
        server.ehlo_or_helo_if_needed()
        if not self.implicit_tls and server.has_extn("starttls"):
            server.starttls(context=self._tls)
            server.ehlo()
        if not (self.may_be_unencrypted or self._is_private(server) or is_private_host(self.host)):
            raise MailUnavailable(_NOT_UNENCRYPTED)
        if self.username is not None:
            if not self._is_private(server):
                raise MailUnavailable("the mail server offers no TLS, so the credentials were not sent: use smtps://")
            server.login(self.username, self.password or "")

    def _is_private(self, server: smtplib.SMTP) -> bool:
        """Return whether the connection cannot be read on the network."""
        return self.host in _LOOPBACK or isinstance(server.sock, ssl.SSLSocket)


@contextmanager
def _message_errors() -> Iterator[None]:
    """Raise errors from MAIL FROM onwards as errors of this message, which do not concern other messages."""
    try:
        yield
    except smtplib.SMTPRecipientsRefused as exc:
        raise _error_of(max(code for code, _ in exc.recipients.values())) from None
    except smtplib.SMTPResponseException as exc:
        raise _error_of(exc.smtp_code) from None
    except smtplib.SMTPNotSupportedError:
        raise MailRefused("the mail server does not support addresses in this script") from None
    except (smtplib.SMTPException, OSError) as exc:
        what = "the mail server stopped answering during a message: see its disk, queue and filters"
        raise MailDelayed(f"{what} ({type(exc).__name__})") from None


@contextmanager
def _server_errors() -> Iterator[None]:
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
        raise MailUnavailable(f"the mail server reports an error ({exc.smtp_code})") from None
    except smtplib.SMTPNotSupportedError:
        raise MailUnavailable("the mail server offers no sign-in that PORTAL_MAIL could use") from None
    except (smtplib.SMTPException, OSError) as exc:
        raise MailUnavailable(f"the mail server is not responding ({type(exc).__name__}){_advice(exc)}") from None


def _advice(exc: Exception) -> str:
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
        return ": it sends nothing; a port that uses TLS from the start, usually 465, needs smtps://"
    return ""


def _error_of(code: int) -> MailError:
    if 500 <= code < 600:
        return MailRefused(f"the mail server rejects the message ({code})")
    if code == _CLOSING:
        return MailUnavailable(f"the mail server closes ({code})")
    return MailDelayed(f"the mail server defers the message ({code})")


class FileMailer:
    """Writes messages into a folder, which is created when needed. Sending a message again replaces its file."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def send(self, message: Message) -> None:
        """Write `{time}-{reference}.eml`; the file appears complete or not at all."""
        content = message.as_email().as_bytes()
        name = f"{message.at:%Y%m%dT%H%M%S}-{message.reference}.eml"
        try:
            self._write(name, content)
        except OSError as exc:
            raise self._failed(exc) from exc

    def check(self) -> None:
        """Create the folder and a temporary file in it."""
        try:
            private_files.make_folder(self._folder)
            with tempfile.TemporaryFile(dir=self._folder):
                pass
        except OSError as exc:
            raise self._failed(exc) from exc

    def _write(self, name: str, content: bytes) -> None:
        private_files.make_folder(self._folder)
        handle, temporary = tempfile.mkstemp(dir=self._folder, prefix=".incoming-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(temporary).replace(self._folder / name)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise

    def _failed(self, exc: OSError) -> MailUnavailable:
        return MailUnavailable(f"the mail folder {self._folder} cannot be written ({type(exc).__name__})")


_EXPECTED = "PORTAL_MAIL: expected file:FOLDER, smtp://USER:PASS@HOST:PORT, smtps://… or ses:REGION"


def open_mailer(address: str, allowed: Collection[Exemption] = ()) -> Mailer:
    """Return the mailer for PORTAL_MAIL; connect to nothing yet. Raises SettingsError, which shows no credentials."""
    kind, _, where = address.partition(":")
    if kind == "file" and where:
        return FileMailer(Path(where))
    if kind == "ses" and where:
        from portal.adapters.mail.ses import SesMailer

        return SesMailer(where)
    if kind in ("smtp", "smtps"):
        return _smtp(address, may_be_unencrypted=Exemption.SMTP_CLEAR in allowed)
    raise SettingsError(_EXPECTED)


def _smtp(address: str, *, may_be_unencrypted: bool) -> SmtpMailer:
    try:
        parts = urlsplit(address)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise SettingsError(_EXPECTED) from None
    if not host or parts.path not in ("", "/") or parts.query or parts.fragment:
        raise SettingsError(_EXPECTED)
    tls = parts.scheme == "smtps"
    usual = 465 if tls else 587 if parts.username else 25
    return SmtpMailer(
        host=host,
        port=port or usual,
        implicit_tls=tls,
        username=unquote(parts.username) if parts.username else None,
        password=unquote(parts.password) if parts.password else None,
        may_be_unencrypted=may_be_unencrypted,
    )
