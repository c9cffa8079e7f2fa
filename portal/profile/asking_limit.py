"""How often a code may be asked for: by address, by network and by tenant. The same for every address, known or not."""

from portal.throttling import Limit, Throttle, network_of

_ADDRESS = (Limit("ask-address", 5, 900), Limit("ask-address", 20, 86_400))
"""A mailbox is not flooded, whoever asks from wherever."""
_MAILBOX = (Limit("ask-mailbox", 10, 900), Limit("ask-mailbox", 40, 86_400))
"""The same over all companies, and whatever stands behind a + in front of the @: it is one mailbox."""
_NETWORK = Limit("ask-network", 500, 3_600)
"""A university may share one address of the network."""
_TENANT = Limit("ask-tenant", 3_000, 3_600)
_TRIES = Limit("try-network", 1_000, 3_600)
_FILES = Limit("store-address", 30, 3_600)


def asking(throttle: Throttle, *, tenant: str, address: str, mailbox: str, remote_address: str | None) -> int | None:
    """Count one request for a code. None if it may go on, else the seconds to wait, at most 3,600.

    address: its keyed hash at this tenant. mailbox: that of the mailbox behind it, the same at every tenant.
    """
    return throttle.pause(
        [
            (_NETWORK, (network_of(remote_address),)),
            (_TENANT, (tenant,)),
            *((limit, (tenant, address)) for limit in _ADDRESS),
            *((limit, (mailbox,)) for limit in _MAILBOX),
        ]
    )


def trying(throttle: Throttle, *, remote_address: str | None) -> int | None:
    """Count one code that was typed in."""
    return throttle.pause([(_TRIES, (network_of(remote_address),))])


def storing(throttle: Throttle, *, tenant: str, address: str) -> int | None:
    """Count one file that somebody who is signed in wants to be stored."""
    return throttle.pause([(_FILES, (tenant, address))])
