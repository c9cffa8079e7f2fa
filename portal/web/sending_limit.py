"""How often one network may send a form, and how much. Generous: a whole university may share one address."""

from portal.logs import Seen, seen
from portal.throttling import Limit, Throttle, network_of

_LIMITS = (Limit("apply", 100, 60), Limit("apply", 1_000, 3_600))
_UPLOADS = (Limit("uploads", 100, 60), Limit("uploads", 1_000, 3_600))
"""As many again for files that come before what they belong to."""

_FILES_OF_NETWORK = Limit("files-network", 2_000_000_000, 3_600)
"""Bytes that one network may have stored for one company in an hour: a thousand people at a job fair, 2 MB each."""
_FILES_OF_TENANT = Limit("files-tenant", 20_000_000_000, 3_600)
"""The same over all networks: ten such fairs. One company's flood fills no disk in a night without anyone noticing."""


def pause_of_files(throttle: Throttle, *, tenant: str, remote_address: str | None, size: int) -> int | None:
    """Count a file of `size` bytes that is to be stored. None if it may be, else the seconds to wait, 1 to 3,600.

    What one network may not store any more counts for nobody else.
    """
    for limit, who in ((_FILES_OF_NETWORK, (tenant, network_of(remote_address))), (_FILES_OF_TENANT, (tenant,))):
        spent = throttle.spend(limit, *who, amount=size)
        if not spent.allowed:
            seen(Seen.LIMITED, tenant=tenant, limit=limit.name)
            return spent.seconds
    return None


def pause_of_sending(throttle: Throttle, remote_address: str | None) -> int | None:
    """Count one post. None if it may go on, else the seconds to wait, 1 to 3,600."""
    network = network_of(remote_address)
    return throttle.pause((limit, (network,)) for limit in _LIMITS)


def pause_of_uploads(throttle: Throttle, remote_address: str | None) -> int | None:
    """The same for a post that brings a file alone."""
    network = network_of(remote_address)
    return throttle.pause((limit, (network,)) for limit in _UPLOADS)
