"""`portal storage`: the bucket that holds CVs, and what lies in it."""

import math

import click

from portal.attachments.address import bucket_of, folder_of
from portal.attachments.bucket import Bucket, Finding
from portal.cli.ready import ready
from portal.clock import SystemClock
from portal.errors import SettingsError
from portal.settings import Settings, read_secret
from portal.tenants.addresses import beside
from portal.tenants.folder import Tenants
from portal.uploads import orphans
from portal.uploads.asking import QUARANTINE

_DAY = 86_400


@click.group("storage")
def storage() -> None:
    """The bucket of the CVs: set it up, print the least policy, find what lost its other half."""


@storage.command("init")
@click.option("--yes", is_flag=True, help="Change it without asking.")
def init(yes: bool) -> None:  # noqa: FBT001  a flag, as click passes it
    """Make or check the bucket, its CORS and its life cycle; says what it would change before it does."""
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
            f"warns   {change.what:<14} this server does not take it: see docs/operating.md for what to do instead"
        )


@storage.command("policy")
def policy() -> None:
    """Print the least policy that the portal needs for its bucket, as JSON."""
    click.echo(_bucket(Settings.from_env()).policy())


@storage.command("check")
@click.option("--delete", is_flag=True, help="Delete what nobody can ever use.")
def check(delete: bool) -> None:  # noqa: FBT001  a flag, as click passes it
    """Find files that nothing knows of, and whatever misses its file. Nothing personal is shown."""
    parts = ready()
    folder = folder_of(parts.settings.attachments)
    if folder and not folder.is_dir():
        raise SettingsError(
            f"the folder {folder} is not there: check PORTAL_ATTACHMENTS, and whether its disk is mounted; "
            "it is made when the first file comes"
        )
    found = orphans.find(parts.database, parts.store, delete=delete)
    done = "deleted" if delete else "delete them with --delete"
    if found.elsewhere:
        done = "left alone"
    click.echo(f"objects                     {found.objects}")
    click.echo(f"of the service alone        {found.delivered}: attachments of what was delivered; they stay")
    click.echo(f"unknown in the quarantine   {found.unknown}{f': {done}' if found.unknown else ''}")
    click.echo(f"forms whose file is gone    {found.without_file}{f': {done}' if found.without_file else ''}")
    click.echo(f"deliveries without a file   {len(found.lost)}")
    for reference in found.lost:
        click.echo(f"  {reference}")
    if found.elsewhere:
        raise SettingsError(
            "so many stored files are gone that this looks like a wrong bucket or a disk that is not mounted, not like "
            "orphans: check PORTAL_ATTACHMENTS; nothing is deleted while so many are missing"
        )
    if found.lost:
        raise SettingsError("files of deliveries are gone: bring them back from a backup of the store")
    if (found.unknown or found.without_file) and not delete:
        raise SettingsError("there are orphans: run `portal storage check --delete`")


def _bucket(settings: Settings) -> Bucket:
    name = bucket_of(settings.attachments)
    if name is None:
        raise SettingsError("PORTAL_ATTACHMENTS names a folder, not a bucket: there is nothing to set up")
    tenants = Tenants(settings.tenants, read_secret=read_secret, clock=SystemClock())
    hosts = [host for tenant in tenants.all() for host in tenant.site.hosts]
    # Pages in frames are ours too, so whoever may frame them is not among who sends.
    origins = {settings.base_url, *(beside(settings.base_url, host) for host in hosts)}
    days = max(1, math.ceil(settings.upload_ttl / _DAY))
    return Bucket(name, endpoint=settings.s3_endpoint, origins=tuple(origins), quarantine=QUARANTINE, days=days)
