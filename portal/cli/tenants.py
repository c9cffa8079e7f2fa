"""`portal tenants`: previews of tenant files, for web masters."""

import tempfile
from pathlib import Path

import click

from portal.cli.preview_site import preview_site
from portal.cli.screenshots import Screenshots
from portal.cli.sync import chosen
from portal.platform.clock import SystemClock
from portal.platform.config.settings import Settings, read_secret
from portal.tenants.folder import Tenants


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
