"""How pushes are: for `portal check`."""

from portal.db import Database
from portal.errors import SettingsError
from portal.outbox import health
from portal.outbox.states import UNFINISHED, State
from portal.pushes.google import account_of
from portal.pushes.notice import lane
from portal.pushes.tables import Channel
from portal.tenants.model import Tenant


def channels_of(tenant: Tenant) -> list[Channel]:
    """Those that the tenant's file names."""
    wanted = {Channel.INDEX_NOW: tenant.push.index_now, Channel.GOOGLE: tenant.push.google}
    return [channel for channel, set_up in wanted.items() if set_up]


def of(db: Database, tenant: Tenant, channel: Channel) -> tuple[bool, str]:
    """Whether all is well, and a line about it."""
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
    return True, f"{counts[State.DELIVERED]} told lately, {waiting} waiting"
