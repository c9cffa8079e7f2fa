"""Pictures of pages, taken by the Chromium that is installed here; nothing of it is a dependency."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from portal.cli.preview_site import FRAME
from portal.errors import PortalError, SettingsError

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_SECONDS = 90
_HEIGHT = 1400
_PHONE, _DESKTOP = 390, 1280
_NARROWEST = 500
"""CSS px that a window of Chromium has at least."""


@dataclass(frozen=True, slots=True)
class Screenshots:
    """browser: its path."""

    browser: str

    @classmethod
    def found(cls) -> "Screenshots":
        """With the first browser on the PATH. Raises SettingsError."""
        browser = next(filter(None, map(shutil.which, _NAMES)), None)
        if browser is None:
            raise SettingsError("pictures are taken by Chromium or Chrome, and neither is installed here")
        return cls(browser)

    def take(self, origin: str, path: str, folder: Path, name: str, scratch: Path) -> Iterator[Path]:
        """Write the page's pictures as NAME-phone-light.png and so on; yields each when it is there."""
        for scheme in ("light", "dark"):
            phone, desktop = (folder / f"{name}-{device}-{scheme}.png" for device in ("phone", "desktop"))
            self._shoot(f"{origin}{FRAME}?{path}", _NARROWEST, phone, scheme, scratch)
            with Image.open(phone) as wide:
                narrow = wide.crop((0, 0, _PHONE, _HEIGHT))
            narrow.save(phone)
            yield phone
            self._shoot(f"{origin}{path}", _DESKTOP, desktop, scheme, scratch)
            yield desktop

    def _shoot(self, address: str, width: int, to: Path, scheme: str, scratch: Path) -> None:
        to.unlink(missing_ok=True)
        command = [
            self.browser,
            "--headless",
            "--disable-gpu",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--hide-scrollbars",
            f"--user-data-dir={scratch / 'browser'}",
            f"--window-size={width},{_HEIGHT}",
            f"--screenshot={to.absolute()}",
            *(["--force-dark-mode"] if scheme == "dark" else []),
            *(["--no-sandbox"] if os.geteuid() == 0 else []),  # as root, as in a container, it cannot have one
            address,
        ]
        try:
            subprocess.run(command, timeout=_SECONDS, capture_output=True, check=False)  # noqa: S603  a browser on the PATH, and our own page
        except subprocess.TimeoutExpired as exc:
            raise PortalError(f"{self.browser} took no picture within {_SECONDS} seconds") from exc
        if not to.exists():
            raise PortalError(f"{self.browser} took no picture; does it start by itself? Try {self.browser} --version")
