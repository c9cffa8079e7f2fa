"""Rate limits of posted forms and files by network. Generous, because a whole university may share one address."""

from collections.abc import Callable
from typing import Literal

from portal.background.mails import quota
from portal.platform.logs import SecurityEvent, seen
from portal.platform.rate_limits import Limit, Throttle, of_network, wide_network_of

_LIMITS = (Limit("apply", 100, 60), Limit("apply", 1_000, 3_600))
_UPLOADS = (Limit("uploads", 100, 60), Limit("uploads", 1_000, 3_600))
"""Limits of their own for files that are sent before the form they belong to."""

_FILES_OF_NETWORK = Limit("files-network", 2_000_000_000, 3_600)
"""Bytes that one network may have stored for one tenant in an hour: a thousand people at a job fair, 2 MB each."""
_FILES_OF_TENANT = Limit("files-tenant", 20_000_000_000, 3_600)
"""Bytes that all networks together may have stored for one tenant in an hour: ten such fairs. It is shared by the
networks (Throttle.share). A flood of files for one tenant cannot fill a disk overnight unnoticed.
"""


def pause_of_files(
    throttle: Throttle, *, tenant: str, remote_address: str | None, announced: tuple[int, int] = (0, 0)
) -> int | None:
    """Return None if a file may be stored or announced, else the seconds to wait, 1 to 3,600.

    It counts nothing: see count_file. announced: bytes of files that the network, and the wide network around it, have
    announced for this tenant and not sent yet.
    """
    for (limit, who), held in zip(of_network(_FILES_OF_NETWORK, remote_address, tenant), announced, strict=True):
        spent = throttle.spend(limit, *who, amount=0)
        if not spent.allowed or spent.left <= held:
            seen(SecurityEvent.LIMITED, tenant=tenant, limit=limit.name)
            return spent.seconds
    shared = throttle.share(_FILES_OF_TENANT, remote_address, tenant, amount=0)
    if not shared.allowed:
        seen(SecurityEvent.LIMITED, tenant=tenant, limit=_FILES_OF_TENANT.name)
        return shared.seconds
    return None


def count_file(throttle: Throttle, *, tenant: str, remote_address: str | None, size: int) -> None:
    """Count the bytes of a stored file, for the tenant and for the network that it came from."""
    for limit, who in of_network(_FILES_OF_NETWORK, remote_address, tenant):
        throttle.spend(limit, *who, amount=size)
    throttle.share(_FILES_OF_TENANT, remote_address, tenant, amount=size, done=True)


def pause_of_sending(throttle: Throttle, remote_address: str | None) -> int | None:
    """Count one post. Return None if it may proceed, else the seconds to wait, 1 to 3,600."""
    return throttle.pause(hit for limit in _LIMITS for hit in of_network(limit, remote_address))


def pause_of_uploads(throttle: Throttle, remote_address: str | None) -> int | None:
    """Count one post that brings only a file. Return None if it may proceed, else the seconds to wait, 1 to 3,600."""
    return throttle.pause(hit for limit in _UPLOADS for hit in of_network(limit, remote_address))


_NETWORK = Limit("ask-network", 500, 3_600)
"""A university may share one network address."""
_ADDRESS = Limit("ask-address", 5, 900)
_MAILBOX = (Limit("ask-mailbox", 10, 900), Limit("ask-mailbox", quota.CODES_OF_NETWORK, 86_400))
"""Counted over all tenants and all spellings of an address, because they reach one mailbox."""
_TENANT = Limit("ask-tenant", 3_000, 3_600)
"""Shared by all networks (Throttle.share)."""
_TRIES = Limit("try-network", 1_000, 3_600)
_POSTS = {"ask": Limit("ask-posts", 1_000, 3_600), "record": Limit("record-posts", 3_000, 3_600)}
"""Posts of a form, whatever they contain: twice as many as requests for codes, and one profile form for each member of
a university.
"""
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
    """Count one request for a code. Return None if it may proceed, else the seconds to wait, at most 3,600.

    address: its keyed hash at this tenant. mailbox: the keyed hash of the mailbox behind it, the same at every tenant.
    known: returns whether the mailbox was proven from this network lately; if so, the tenant's limit does not stop the
    request, so a crowd that exhausts that limit does not lock out its users. Called only when that limit is reached.
    """
    network = wide_network_of(remote_address)
    pause = throttle.pause(
        [
            *of_network(_NETWORK, remote_address),
            (_ADDRESS, (tenant, address, network)),
            *((limit, (mailbox, network)) for limit in _MAILBOX),
        ]
    )
    if pause is not None:
        return pause
    spent = throttle.share(_TENANT, remote_address, tenant)
    if spent.allowed or known():
        return None
    seen(SecurityEvent.LIMITED, tenant=tenant, limit=_TENANT.name)
    return spent.seconds


def posting(throttle: Throttle, form: Literal["ask", "record"], *, remote_address: str | None) -> int | None:
    """Count one posted form before any of its content is read. Return None, or the seconds to wait."""
    return throttle.pause(of_network(_POSTS[form], remote_address))


def trying(throttle: Throttle, *, remote_address: str | None) -> int | None:
    """Count one code that was entered. Return None, or the seconds to wait."""
    return throttle.pause(of_network(_TRIES, remote_address))


def storing(throttle: Throttle, *, tenant: str, address: str) -> int | None:
    """Count one file that a signed-in candidate wants to store. Return None, or the seconds to wait."""
    return throttle.pause([(_FILES, (tenant, address))])
