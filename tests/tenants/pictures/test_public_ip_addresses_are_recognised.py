"""Nothing is fetched from non-public addresses: ends and neighbours of every special block are checked."""

from ipaddress import IPv4Address, IPv6Address, ip_network

import pytest

from portal.platform.config.variables import is_public

SPECIAL = (
    "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
    "192.0.2.0/24", "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.168.0.0/16", "192.175.48.0/24",
    "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
    "2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20",
)  # fmt: skip
"""IANA's registries of special-purpose addresses as of 2025, as far as they are in 2000::/3, and multicast of IPv4."""
OUTSIDE_OF_UNICAST = (
    "::/128", "::1/128", "::/96", "64:ff9b:1::/48", "100::/64", "100:0:0:1::/64", "4000::/3", "5f00::/16", "fc00::/7",
    "fe80::/10", "fec0::/10", "ff00::/8",
)  # fmt: skip


@pytest.mark.parametrize("block", SPECIAL + OUTSIDE_OF_UNICAST)
def test_first_and_last_address_of_special_blocks_are_rejected(block: str):
    network = ip_network(block)
    assert not is_public(str(network[0]))
    assert not is_public(str(network[-1]))


@pytest.mark.parametrize("block", SPECIAL)
def test_neighbours_of_special_blocks_are_public(block: str):
    network = ip_network(block)
    kind = type(network[0])
    beside = [
        number for number in (int(network[0]) - 1, int(network[-1]) + 1) if 0 <= number < 2**network.max_prefixlen
    ]
    others = [one for one in map(ip_network, SPECIAL) if one.version == network.version]
    for address in map(kind, beside):
        assert is_public(str(address)) is not any(address in other for other in others), address


@pytest.mark.parametrize(
    ("address", "public"),
    [("1fff:ffff::", False), ("2000::", True), ("3ffe:ffff::", True), ("3fff:1000::", True), ("4000::", False)],
)
def test_only_2000_3_of_ipv6_is_public(address: str, public: bool):
    assert is_public(address) is public


@pytest.mark.parametrize(
    "address",
    [
        "64:ff9b:1::1",
        "64:ff9b:1:ffff:ffff:ffff:ffff:ffff",
        "fec0::1",
        "192.0.0.8",
        "192.0.0.9",
        "::127.0.0.1",
        "::8.8.8.8",
    ],
)
def test_formerly_accepted_special_addresses_are_rejected(address: str):
    assert not is_public(address)


@pytest.mark.parametrize("block", [one for one in SPECIAL if "." in one])
def test_ipv4_mapped_addresses_are_judged_as_ipv4(block: str):
    for address in (ip_network(block)[0], ip_network(block)[-1]):
        assert not is_public(f"::ffff:{address}")
        assert not is_public(str(IPv6Address(int(IPv6Address("64:ff9b::")) + int(IPv4Address(int(address))))))
    assert is_public("::ffff:93.184.215.14")
    assert is_public("64:ff9b::93.184.215.14")
