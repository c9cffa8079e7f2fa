"""PORTAL_MAIL to a mailer; a wrong one is named, and its password is not repeated."""

from pathlib import Path

import pytest

from portal.adapters.mail.transports import FileMailer, SmtpMailer, open_mailer
from portal.platform.errors import SettingsError


@pytest.mark.parametrize(
    ("address", "mailer"),
    [
        ("smtp://mail.example", SmtpMailer("mail.example", 25)),
        ("smtp://u:p@mail.example", SmtpMailer("mail.example", 587, username="u", password="p")),
        ("smtps://u:p%40%3A@mail.example", SmtpMailer("mail.example", 465, True, "u", "p@:")),
        ("smtp://mail.example:2525/", SmtpMailer("mail.example", 2525)),
        ("smtp://[::1]:25", SmtpMailer("::1", 25)),
    ],
)
def test_a_server(address: str, mailer: SmtpMailer) -> None:
    assert open_mailer(address) == mailer


def test_a_folder(tmp_path: Path) -> None:
    assert isinstance(open_mailer(f"file:{tmp_path}"), FileMailer)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "file:",
        "ses:",
        "smtp:",
        "smtp://",
        "smtp://:25",
        "smtp://u:secret@h:port",
        "smtp://u:secret@h/path",
        "imap://h",
    ],
)
def test_anything_else_is_named_without_its_password(address: str) -> None:
    with pytest.raises(SettingsError, match="PORTAL_MAIL") as raised:
        open_mailer(address)
    assert "secret" not in str(raised.value)


def test_a_mailer_in_a_log_shows_no_credentials() -> None:
    assert "secret" not in repr(open_mailer("smtp://user:secret@mail.example"))
