"""In a mail folder each message is one complete .eml file, and the same message again is the same file."""

from dataclasses import replace
from email import message_from_bytes, policy
from pathlib import Path

import pytest

from portal.adapters.mail.message import Message
from portal.adapters.mail.transports import open_mailer
from portal.platform.errors import MailUnavailable


def test_a_message_is_an_eml_file(message: Message, tmp_path: Path) -> None:
    mailer = open_mailer(f"file:{tmp_path / 'mail'}")
    mailer.check()
    mailer.send(message)
    mailer.send(message)
    mailer.send(replace(message, reference="receipt-r-2"))
    first, second = sorted((tmp_path / "mail").iterdir())
    assert first.name == "20260304T050607-receipt-r-1.eml"
    assert second.name == "20260304T050607-receipt-r-2.eml"
    assert message_from_bytes(first.read_bytes(), policy=policy.default)["To"] == message.to
    assert first.stat().st_mode & 0o077 == 0


def test_an_unusable_folder_is_unavailable(message: Message, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    mailer = open_mailer(f"file:{tmp_path / 'taken'}")
    with pytest.raises(MailUnavailable, match="taken"):
        mailer.check()
    with pytest.raises(MailUnavailable) as raised:
        mailer.send(message)
    assert "canary" not in str(raised.value)
