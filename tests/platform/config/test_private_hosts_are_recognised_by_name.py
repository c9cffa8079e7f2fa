"""Host names are judged by their form and never resolved: a host that is not clearly private counts as public."""

import pytest

from portal.platform.config.variables import is_private_host


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "tracker",
        "Tracker-1",
        "tracker.internal",
        "tracker.hiring.svc",
        "tracker.hiring.svc.cluster.local",
        "mail.lan",
        "MAIL.LAN.",
        "mail.home.arpa",
        "demo.localhost",
        "127.0.0.1",
        "10.1.2.3",
        "172.31.0.1",
        "192.168.1.2",
        "169.254.1.1",
        "::1",
        "fd00::1",
        "fe80::1%eth0",
        "::ffff:10.0.0.1",
    ],
)
def test_a_private_host_is_recognised(host: str):
    assert is_private_host(host)


@pytest.mark.parametrize(
    "host",
    [
        "tracker.example",
        "internal.example",
        "tracker.internal.example",
        "notinternal.com",
        "svc.com",
        "10.0.0.1.example",
        "93.184.215.14",
        "2606:2800:21f:cb07:6820:80da:af6b:8b2c",
        "::ffff:93.184.215.14",
        "1572395042",
        "0x5db8d822",
        "93.12113442",
    ],
)
def test_any_other_host_counts_as_public(host: str):
    assert not is_private_host(host)
