"""Mail as files: one .eml a message, for a look without a mail server."""

import os
import tempfile
from pathlib import Path

from portal import private
from portal.errors import MailUnavailable
from portal.mail.message import Message


class FileMailer:
    """Writes messages into a folder, which is made when it is needed. A message sent again replaces itself."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def send(self, message: Message) -> None:
        """Write `{time}-{reference}.eml`; it appears whole or not at all."""
        content = message.as_email().as_bytes()
        name = f"{message.at:%Y%m%dT%H%M%S}-{message.reference}.eml"
        try:
            self._write(name, content)
        except OSError as exc:
            raise self._failed(exc) from exc

    def check(self) -> None:
        """Make the folder and try to write there."""
        try:
            private.make_folder(self._folder)
            with tempfile.TemporaryFile(dir=self._folder):
                pass
        except OSError as exc:
            raise self._failed(exc) from exc

    def _write(self, name: str, content: bytes) -> None:
        private.make_folder(self._folder)
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
