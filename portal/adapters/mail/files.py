"""Email as files, one .eml for each message, for trying things out without a mail server."""

import os
import tempfile
from pathlib import Path

from portal.adapters.mail.message import Message
from portal.platform.config import private_files
from portal.platform.errors import MailUnavailable


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
