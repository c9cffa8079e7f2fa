"""How often a code may be asked for, the same for every address, known or not: first by the network that asks.

What a network asks for an address counts against that network alone, so that nobody uses up what is somebody else's.
How many codes reach a mailbox from everywhere is the allowance of letters, which is counted where they are queued.
"""

from collections.abc import Callable
from typing import Literal

from portal.letters import allowance
from portal.logs import Seen, seen
from portal.throttling import Limit, Throttle, network_of

_NETWORK = Limit("ask-network", 500, 3_600)
"""A university may share one address of the network."""
_ADDRESS = Limit("ask-address", 5, 900)
_MAILBOX = (Limit("ask-mailbox", 10, 900), Limit("ask-mailbox", allowance.CODES_OF_NETWORK, 86_400))
"""The same over all companies and all ways to write it: it is one mailbox."""
_TENANT = Limit("ask-tenant", 3_000, 3_600)
_TRIES = Limit("try-network", 1_000, 3_600)
_POSTS = {"ask": Limit("ask-posts", 1_000, 3_600), "record": Limit("record-posts", 3_000, 3_600)}
"""Whatever is in them: twice as many as may ask, and a form for each of a university's people."""
_FILES = Limit("store-address", 30, 3_600)


def asking(
    throttle: Throttle,
    *,
    tenant: str,
    address: str,
    mailbox: str,
    remote_address: str | None,
    known: Callable[[], bool] = lambda: False,
) -> int | None:
    """Count one request for a code. None if it may go on, else the seconds to wait, at most 3,600.

    address: its keyed hash at this tenant. mailbox: that of the mailbox behind it, the same at every tenant.
    known: whether the mailbox was proven from this network lately; a crowd that fills the tenant's limit stops nobody
    of whom that is true. It is asked for only then.
    """
    network = asking_network(remote_address)
    pause = throttle.pause(
        [
            (_NETWORK, (network_of(remote_address),)),
            (_ADDRESS, (tenant, address, network)),
            *((limit, (mailbox, network)) for limit in _MAILBOX),
        ]
    )
    if pause is not None:
        return pause
    pause = throttle.pause([(_TENANT, (tenant,))], quietly=True)
    if pause is None or known():
        return None
    seen(Seen.LIMITED, tenant=tenant, limit=_TENANT.name)
    return pause


def asking_network(remote_address: str | None) -> str:
    """The /24 of IPv4 or /48 of IPv6: what one party has, and what a household stays in when its address changes."""
    return network_of(remote_address, v4=24, v6=48)


def posting(throttle: Throttle, form: Literal["ask", "record"], *, remote_address: str | None) -> int | None:
    """Count one form that was posted, before anything of it is looked at."""
    return throttle.pause([(_POSTS[form], (network_of(remote_address),))])


def trying(throttle: Throttle, *, remote_address: str | None) -> int | None:
    """Count one code that was typed in."""
    return throttle.pause([(_TRIES, (network_of(remote_address),))])


def storing(throttle: Throttle, *, tenant: str, address: str) -> int | None:
    """Count one file that somebody who is signed in wants to be stored."""
    return throttle.pause([(_FILES, (tenant, address))])
