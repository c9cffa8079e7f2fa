"""`portal tenants`: previews of tenant files, for web masters."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
from PIL import Image

from portal.cli.preview_site import FRAME, preview_site
from portal.cli.sync import chosen
from portal.platform.clock import SystemClock
from portal.platform.config.settings import Settings, read_secret
from portal.platform.errors import PortalError, SettingsError
from portal.tenants.folder import Tenants

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_SECONDS = 90
_HEIGHT = 1400
_PHONE, _DESKTOP = 390, 1280
_NARROWEST = 500
"""CSS px; Chromium's windows cannot be narrower."""


@dataclass(frozen=True, slots=True)
class Screenshots:
    """A browser that takes screenshots. browser: path of its executable."""

    browser: str

    @classmethod
    def found(cls) -> "Screenshots":
        """Return one that uses the first browser on the PATH. Raises SettingsError."""
        browser = next(filter(None, map(shutil.which, _NAMES)), None)
        if browser is None:
            raise SettingsError("screenshots need Chromium or Chrome, and neither is installed here")
        return cls(browser)

    def take(self, origin: str, path: str, folder: Path, name: str, scratch: Path) -> Iterator[Path]:
        """Save the page as NAME-phone-light.png and so on; yields each path once it is written. Raises PortalError."""
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
            *(["--no-sandbox"] if os.geteuid() == 0 else []),  # root, as in a container, cannot use the sandbox
            address,
        ]
        try:
            subprocess.run(command, timeout=_SECONDS, capture_output=True, check=False)  # noqa: S603  a browser on the PATH, our own page
        except subprocess.TimeoutExpired as exc:
            raise PortalError(f"{self.browser} took no screenshot within {_SECONDS} seconds") from exc
        if not to.exists():
            raise PortalError(
                f"{self.browser} took no screenshot; check that it starts on its own with {self.browser} --version"
            )


@click.group("tenants")
def tenants() -> None:
    """Tenants, as defined by their files."""


@tenants.command("preview")
@click.argument("slug")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), help="Default: preview/SLUG.")
def preview(slug: str, out: Path | None) -> None:
    """Take screenshots of the list, a job and the form, on phone and desktop, light and dark. Changes nothing."""
    settings, clock = Settings.from_env(), SystemClock()
    (tenant,) = chosen(Tenants(settings.tenants, read_secret=read_secret, clock=clock), [slug])
    screenshots = Screenshots.found()
    folder = out or Path("preview") / slug
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, preview_site(settings, tenant, Path(scratch), clock) as site:
        click.echo(site.says)
        for name, path in site.pages.items():
            for picture in screenshots.take(site.origin, path, folder, name, Path(scratch)):
                click.echo(str(picture))
