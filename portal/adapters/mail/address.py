"""Opens the mailer that the setting PORTAL_MAIL names."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from portal.adapters.mail.files import FileMailer
from portal.adapters.mail.message import Mailer
from portal.adapters.mail.smtp import SmtpMailer
from portal.platform.errors import SettingsError

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
