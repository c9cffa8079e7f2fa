"""How often one network may ask for an alert, the same for every address, known or not.

How many letters that leads to in a mailbox is the allowance of letters, which is counted where they are queued.
"""

from portal.throttling import Limit, Throttle, network_of

_NETWORK = Limit("alerts-network", 200, 3_600)
"""A university may share one address of the network."""
_TENANT = Limit("alerts-tenant", 3_000, 3_600)


def asking(throttle: Throttle, *, tenant: str, remote_address: str | None) -> int | None:
    """Count one request. None if it may go on, else the seconds to wait, at most 3,600."""
    return throttle.pause([(_NETWORK, (network(remote_address),)), (_TENANT, (tenant,))])


def network(remote_address: str | None) -> str:
    """The /24 of IPv4 or /48 of IPv6: what one party has."""
    return network_of(remote_address, v4=24, v6=48)
