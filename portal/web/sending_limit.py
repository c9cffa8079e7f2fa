"""How often one network may send a form. Generous: a whole university may share one address."""

import ipaddress

from portal.throttling import Limit, Throttle

_LIMITS = (Limit("apply", 100, 60), Limit("apply", 1_000, 3_600))


def pause_of_sending(throttle: Throttle, remote_address: str | None) -> int | None:
    """Count one post. None if it may go on, else the seconds to wait, 1 to 3,600."""
    network = network_of(remote_address)
    return throttle.pause((limit, (network,)) for limit in _LIMITS)


def network_of(remote_address: str | None) -> str:
    """An IPv4 address, or the /64 that a household or phone gets of IPv6."""
    try:
        address = ipaddress.ip_address(remote_address or "")
    except ValueError:
        return "unknown"
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped:
            return str(address.ipv4_mapped)
        return str(ipaddress.ip_network((address, 64), strict=False))
    return str(address)
