"""Rate limits of requests for an alert: by network, the same for every email address, known or not.

How many emails that sends to a mailbox is limited by the mail quota (portal/background/mails/quota.py), where mails are
queued.
"""

from portal.platform.logs import SecurityEvent, seen
from portal.platform.rate_limits import Limit, Throttle, wide_network_of

_NETWORK = Limit("alerts-network", 200, 3_600)
"""A university may share one network address."""
_TENANT = Limit("alerts-tenant", 3_000, 3_600)
"""Shared by all networks (Throttle.share)."""


def asking(throttle: Throttle, *, tenant: str, remote_address: str | None) -> int | None:
    """Count one request. Return None if it may proceed, else the seconds to wait, at most 3,600."""
    pause = throttle.pause([(_NETWORK, (wide_network_of(remote_address),))])
    if pause is not None:
        return pause
    spent = throttle.share(_TENANT, remote_address, tenant)
    if spent.allowed:
        return None
    seen(SecurityEvent.LIMITED, tenant=tenant, limit=_TENANT.name)
    return spent.seconds
