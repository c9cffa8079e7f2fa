"""Networks: rate limits count them instead of single addresses, because one party has many addresses in IPv6."""

import ipaddress


def network_of(remote_address: str | None) -> str:
    """Return the network of an address: the IPv4 address itself, or the /64 that a household or phone has in IPv6.

    Everything that is not an address counts as one network.
    """
    return _block_of(remote_address, v4=32, v6=64)


def wide_network_of(remote_address: str | None) -> str:
    """Return the /24 of IPv4 or /48 of IPv6: what one party can hold, and a household keeps if its address changes."""
    return _block_of(remote_address, v4=24, v6=48)


def _block_of(remote_address: str | None, *, v4: int, v6: int) -> str:
    try:
        address = ipaddress.ip_address(remote_address or "")
    except ValueError:
        return "unknown"
    if isinstance(address, ipaddress.IPv6Address):
        address = address.ipv4_mapped or ipaddress.IPv6Address(int(address))  # without the zone, which anybody can set
    bits = v4 if address.version == 4 else v6
    if bits == address.max_prefixlen:
        return str(address)
    return str(ipaddress.ip_network((address, bits), strict=False))
