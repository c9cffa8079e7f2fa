"""State of the notices to search engines, for `portal check`."""

from portal.background.outbox import health
from portal.background.outbox.states import UNFINISHED, OutboxState
from portal.jobs.pushes.changes import lane
from portal.jobs.pushes.google import account_of
from portal.jobs.pushes.tables import Channel
from portal.platform.database.db import Database
from portal.platform.errors import SettingsError
from portal.tenants.model import Tenant


def channels_of(tenant: Tenant) -> list[Channel]:
    """Return the channels that the tenant file configures."""
    wanted = {Channel.INDEX_NOW: tenant.push.index_now, Channel.GOOGLE: tenant.push.google}
    return [channel for channel, set_up in wanted.items() if set_up]


def of(db: Database, tenant: Tenant, channel: Channel) -> tuple[bool, str]:
    """Return whether a channel works, and a line about it."""
    if tenant.push.google and channel is Channel.GOOGLE:
        try:
            account_of(tenant.push.google)
        except SettingsError as error:
            return False, str(error)
    broken = health.open_breakers(db).get(lane(tenant, channel))
    if broken is not None:
        return False, f"search engines are not told: {broken}; see [push] in the tenant file"
    counts = health.counts(db, channel, tenant=tenant.slug)
    waiting = sum(counts[state] for state in UNFINISHED)
    return True, f"{counts[OutboxState.DELIVERED]} told lately, {waiting} waiting"
