"""PORTAL_MAIL selects the mailer; an invalid value is reported without its password."""

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
def test_the_setting_can_name_a_mail_server(address: str, mailer: SmtpMailer) -> None:
    assert open_mailer(address) == mailer


def test_the_setting_can_name_a_folder(tmp_path: Path) -> None:
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
def test_an_invalid_value_is_reported_without_its_password(address: str) -> None:
    with pytest.raises(SettingsError, match="PORTAL_MAIL") as raised:
        open_mailer(address)
    assert "secret" not in str(raised.value)


def test_a_logged_mailer_shows_no_credentials() -> None:
    assert "secret" not in repr(open_mailer("smtp://user:secret@mail.example"))
