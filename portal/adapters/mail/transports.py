"""Ways to send email: SMTP, Amazon SES, and files for trying things out; chosen by a URL of the settings."""

import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

import boto3
from botocore import exceptions as aws
from botocore.config import Config

from portal.adapters.mail.message import Mailer, Message
from portal.adapters.mail.smtp import SmtpMailer
from portal.platform.config import private_files
from portal.platform.errors import MailDelayed, MailError, MailRefused, MailUnavailable, SettingsError


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
        from portal.adapters.mail.transports import SesMailer

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


if TYPE_CHECKING:
    from types_boto3_ses import SESClient

_CONNECT_TIMEOUT = 5.0
_READ_TIMEOUT = 20.0
# These concern a single message; everything else (quota, credentials) operators can fix.
_REFUSED = frozenset({"MessageRejected", "InvalidParameterValue"})
_OF_THE_SENDER = frozenset({"MailFromDomainNotVerified", "MailFromDomainNotVerifiedException"})


class SesMailer:
    """Amazon SES in one region. boto3 finds credentials in its usual places."""

    def __init__(self, region: str) -> None:
        config = Config(
            connect_timeout=_CONNECT_TIMEOUT,
            read_timeout=_READ_TIMEOUT,
            retries={"mode": "standard", "total_max_attempts": 1},  # the outbox retries by its own policy
        )
        self._client: SESClient = boto3.Session().client("ses", region_name=region, config=config)

    def send(self, message: Message) -> None:
        """Send one message."""
        content = message.as_email().as_bytes()
        try:
            self._client.send_raw_email(Destinations=[message.recipient], RawMessage={"Data": content})
        except (aws.ClientError, aws.BotoCoreError) as exc:
            # Not chained: SES repeats addresses in its error messages.
            raise _failed(exc) from None

    def check(self) -> None:
        """Request the sending quota, which needs the same credentials and sends nothing."""
        try:
            quota = self._client.get_send_quota()
        except (aws.ClientError, aws.BotoCoreError) as exc:
            raise _failed(exc) from None
        if 0 <= quota["Max24HourSend"] <= quota["SentLast24Hours"]:
            raise MailUnavailable("the daily sending quota of SES is used up")


def _failed(exc: aws.ClientError | aws.BotoCoreError) -> MailError:
    if not isinstance(exc, aws.ClientError):
        return MailUnavailable(f"SES cannot be used ({type(exc).__name__}): check network and credentials")
    code = str(exc.response.get("Error", {}).get("Code", "unknown"))
    if code in _REFUSED:
        return MailRefused(f"SES will not take the message ({code})")
    if code in _OF_THE_SENDER:
        return MailDelayed(f"SES does not know this tenant's sender ({code})", of_sender=True)
    return MailUnavailable(f"SES cannot now ({code})")
