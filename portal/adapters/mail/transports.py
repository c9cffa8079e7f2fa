"""Opens the mailer that PORTAL_MAIL names; email as files, one .eml for each message, for trying things out."""

import os
import tempfile
from pathlib import Path
from urllib.parse import unquote, urlsplit

from portal.adapters.mail.message import Mailer, Message
from portal.adapters.mail.smtp import SmtpMailer
from portal.platform.config import private_files
from portal.platform.errors import MailUnavailable, SettingsError


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


def open_mailer(address: str) -> Mailer:
    """Return the mailer for PORTAL_MAIL; connect to nothing yet. Raises SettingsError, which shows no credentials."""
    kind, _, where = address.partition(":")
    if kind == "file" and where:
        return FileMailer(Path(where))
    if kind == "ses" and where:
        from portal.adapters.mail.ses import SesMailer

        return SesMailer(where)
    if kind in ("smtp", "smtps"):
        return _smtp(address)
    raise SettingsError(_EXPECTED)


def _smtp(address: str) -> SmtpMailer:
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
    )
