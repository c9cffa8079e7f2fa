"""`portal storage`: the bucket that holds CVs, and its contents."""

import io
import math
import sys

import click

from portal.adapters.storage.bucket import Bucket, Finding
from portal.adapters.storage.opening import bucket_of, folder_of, open_store
from portal.adapters.storage.store import copy_objects
from portal.cli.opened_services import ready
from portal.delivery.uploads import orphans
from portal.delivery.uploads.direct import QUARANTINE
from portal.platform.clock import SystemClock
from portal.platform.config.settings import Exemption, Settings, from_home, read_secret
from portal.platform.errors import SettingsError
from portal.tenants.addresses import origin_on
from portal.tenants.folder import Tenants

_DAY = 86_400


@click.group("storage")
def storage() -> None:
    """The CV bucket: set it up, print the minimum policy, find orphans."""


@storage.command("init")
@click.option("--yes", is_flag=True, help="Make the changes without asking.")
def init(yes: bool) -> None:  # noqa: FBT001  a flag, as click passes it
    """Create or check the bucket, its CORS and its lifecycle; lists the changes before making them."""
    bucket = _bucket(Settings.from_env())
    changes = []
    for found in bucket.findings():
        click.echo(f"{'CHANGE' if found.change else 'ok    '}  {found.what:<14} {found.says}")
        changes += [found] if found.change else []
    if not changes:
        click.echo("The bucket is as it should be.")
        return
    if not yes and not click.confirm("Make these changes?"):
        raise SettingsError("the bucket was not changed")
    for change in changes:
        _apply(bucket, change)


def _apply(bucket: Bucket, change: Finding) -> None:
    if bucket.apply(change):
        click.echo(f"done    {change.what}")
    else:
        click.echo(
            f"warn    {change.what:<14} this server does not support it: "
            "see docs/operating/configure.md#set-up-the-bucket for what to do instead"
        )


@storage.command("policy")
def policy() -> None:
    """Print the minimum policy that the portal needs for its bucket, as JSON."""
    click.echo(_bucket(Settings.from_env()).policy())


@storage.command("copy")
@click.argument("source", metavar="FROM")
@click.argument("target", metavar="TO")
@click.option("--verify", is_flag=True, help="Read what was copied before again, on both sides, and compare.")
def copy(source: str, target: str, *, verify: bool) -> None:
    """Copy all files from one storage to another, as PORTAL_ATTACHMENTS names them. Again: only new ones."""
    settings = Settings.from_env()
    source, target = from_home(source), from_home(target)
    folder = folder_of(source)
    if folder and not folder.is_dir():
        raise SettingsError(f"the folder {folder} does not exist: check FROM, and whether its disk is mounted")
    stores = [open_store(address, s3_endpoint=settings.s3_endpoint) for address in (source, target)]
    screen = sys.stderr if sys.stderr.isatty() else io.StringIO()
    with click.progressbar(length=0, label="files", show_percent=False, show_pos=True, file=screen) as bar:
        done, new = copy_objects(*stores, verify=verify, report=lambda _number, _size: bar.update(1))
    compared = "each" if verify or new == done else "each new one"
    others = "" if verify or new == done else ", the others by their sizes (--verify reads them too)"
    click.echo(f"{done} files are at {target}, {new} of them new; {compared} was read back and compared{others}")
    click.echo("Next: docs/operating/backup-and-upgrade.md#move-files-to-a-bucket")


@storage.command("check")
@click.option("--delete", is_flag=True, help="Delete the orphans.")
def check(delete: bool) -> None:  # noqa: FBT001  a flag, as click passes it
    """Find files that nothing refers to, and entries whose file is missing. Shows no personal data."""
    parts = ready()
    folder = folder_of(parts.settings.attachments)
    if folder and not folder.is_dir():
        raise SettingsError(
            f"the folder {folder} does not exist: check PORTAL_ATTACHMENTS, and whether its disk is mounted; "
            "it is created when the first file arrives"
        )
    found = orphans.find(parts.database, parts.store, delete=delete)
    done = "deleted" if delete else "delete them with --delete"
    if found.elsewhere:
        done = "left alone"
    click.echo(f"objects                     {found.objects}")
    click.echo(f"delivered files             {found.delivered}: attachments of delivered submissions; kept")
    click.echo(f"unknown in quarantine       {found.unknown}{f': {done}' if found.unknown else ''}")
    click.echo(f"forms whose file is missing {found.without_file}{f': {done}' if found.without_file else ''}")
    click.echo(f"deliveries without a file   {len(found.lost)}")
    for reference in found.lost:
        click.echo(f"  {reference}")
    if found.elsewhere:
        raise SettingsError(
            "so many stored files are missing that this looks like a wrong bucket or an unmounted disk, not like "
            "orphans: check PORTAL_ATTACHMENTS; nothing is deleted while so many are missing"
        )
    if found.lost:
        raise SettingsError("files of deliveries are missing: restore them from a backup of the file storage")
    if (found.unknown or found.without_file) and not delete:
        raise SettingsError("there are orphans: run `portal storage check --delete`")


def _bucket(settings: Settings) -> Bucket:
    name = bucket_of(settings.attachments)
    if name is None:
        raise SettingsError("PORTAL_ATTACHMENTS names a folder, not a bucket: there is nothing to set up")
    http_everywhere = Exemption.SERVICE_HTTP in settings.allow_insecure
    tenants = Tenants(settings.tenants, read_secret=read_secret, clock=SystemClock(), http_everywhere=http_everywhere)
    hosts = [host for tenant in tenants.all() for host in tenant.site.hosts]
    # Pages in frames have our origin as well, so sites that embed them need no entry here.
    origins = {settings.base_url, *(origin_on(settings.base_url, host) for host in hosts)}
    days = max(1, math.ceil(settings.upload_ttl / _DAY))
    return Bucket(name, endpoint=settings.s3_endpoint, origins=tuple(origins), quarantine=QUARANTINE, days=days)
