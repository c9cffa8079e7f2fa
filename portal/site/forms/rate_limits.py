"""Rate limits of posted forms and files: all of the site's, except those of place suggestions and of CPU time.

Those two are in site/browse/filters.py and delivery/uploads/cpu_budget.py. Limits are generous, because a whole
university may share one network address.
"""

from collections.abc import Callable, Iterable
from enum import Enum

from portal.background.mails import quota
from portal.platform.logs import SecurityEvent, log_security_event
from portal.platform.rate_limits import Limit, LimitResult, Throttle, per_network_limits, wide_network_of


class PostLimit(Enum):
    """Posts that are counted by network before any of their content is read; each has the limits of its value."""

    APPLICATION = (Limit("apply", 100, 60), Limit("apply", 1_000, 3_600))
    UPLOAD = (Limit("uploads", 100, 60), Limit("uploads", 1_000, 3_600))
    """A file that is sent before the form it belongs to."""
    CODE_REQUEST = (Limit("ask-posts", 1_000, 3_600),)
    """Counts every post, also invalid ones; twice _CODES_OF_NETWORK."""
    CODE = (Limit("try-network", 1_000, 3_600),)
    PROFILE = (Limit("record-posts", 3_000, 3_600),)
    """Large enough for one form of each member of a university."""


_CODES_OF_NETWORK = Limit("ask-network", 500, 3_600)
_CODES_OF_ADDRESS = Limit("ask-address", 5, 900)
_CODES_OF_MAILBOX = (Limit("ask-mailbox", 10, 900), Limit("ask-mailbox", quota.CODES_OF_NETWORK, 86_400))
"""Counted over all tenants and all spellings of an address, because they reach one mailbox."""
_CODES_OF_TENANT = Limit("ask-tenant", 3_000, 3_600)
"""Shared by all networks (Throttle.hit_shared_window), as are all limits of a tenant."""

_ALERTS_OF_NETWORK = Limit("alerts-network", 200, 3_600)
_ALERTS_OF_TENANT = Limit("alerts-tenant", 3_000, 3_600)

_FILES_OF_CANDIDATE = Limit("store-address", 30, 3_600)
_FILES_OF_NETWORK = Limit("files-network", 2_000_000_000, 3_600)
"""Bytes that one network may have stored for one tenant in an hour: a thousand people at a job fair, 2 MB each."""
_FILES_OF_TENANT = Limit("files-tenant", 20_000_000_000, 3_600)
"""Bytes that all networks together may have stored for one tenant in an hour: ten such fairs. A flood of files for one
tenant cannot fill a disk overnight unnoticed.
"""

PROOF_OF_NETWORK = Limit("bots-network", 20, 600)
"""Applications from one network to one tenant within ten minutes before a proof of work is required. A job fair sends
more, and its browsers compute the proof unnoticed.
"""
PROOF_OF_TENANT = Limit("bots-tenant", 200, 600)
"""The same from all networks together. A very popular job gets fewer; a bot that uses many addresses sends more."""


def hit_post_limits(throttle: Throttle, post: PostLimit, remote_address: str | None) -> int | None:
    """Count one post. Return None if it may proceed, else the seconds to wait, 1 to 3,600."""
    return throttle.hit_sliding_window(hit for limit in post.value for hit in per_network_limits(limit, remote_address))


def hit_code_request_limits(
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
    counted = [
        *per_network_limits(_CODES_OF_NETWORK, remote_address),
        (_CODES_OF_ADDRESS, (tenant, address, network)),
        *((limit, (mailbox, network)) for limit in _CODES_OF_MAILBOX),
    ]
    return _hit_limits(throttle, counted, _CODES_OF_TENANT, tenant, remote_address, known)


def hit_alert_request_limits(throttle: Throttle, *, tenant: str, remote_address: str | None) -> int | None:
    """Count one request for a job alert. Return None if it may proceed, else the seconds to wait, at most 3,600."""
    counted = [(_ALERTS_OF_NETWORK, (wide_network_of(remote_address),))]
    return _hit_limits(throttle, counted, _ALERTS_OF_TENANT, tenant, remote_address)


def hit_candidate_file_limit(throttle: Throttle, *, tenant: str, address: str) -> int | None:
    """Count one file that a signed-in candidate wants to store. Return None, or the seconds to wait.

    address: the keyed hash of their email address.
    """
    return throttle.hit_sliding_window([(_FILES_OF_CANDIDATE, (tenant, address))])


def check_file_limits(
    throttle: Throttle, *, tenant: str, remote_address: str | None, announced: tuple[int, int] = (0, 0)
) -> int | None:
    """Return None if a file may be stored or announced, else the seconds to wait, 1 to 3,600.

    It counts nothing: see count_file. announced: bytes of files that the network, and the wide network around it, have
    announced for this tenant and not sent yet.
    """
    for (limit, who), held in zip(
        per_network_limits(_FILES_OF_NETWORK, remote_address, tenant), announced, strict=True
    ):
        result = throttle.hit_fixed_window(limit, *who, amount=0)
        if not result.allowed or result.remaining <= held:
            return _refused(limit, result, tenant)
    shared = throttle.hit_shared_window(_FILES_OF_TENANT, remote_address, tenant, amount=0)
    return None if shared.allowed else _refused(_FILES_OF_TENANT, shared, tenant)


def count_file(throttle: Throttle, *, tenant: str, remote_address: str | None, size: int) -> None:
    """Count the bytes of a stored file, for the tenant and for the network that it came from."""
    for limit, who in per_network_limits(_FILES_OF_NETWORK, remote_address, tenant):
        throttle.hit_fixed_window(limit, *who, amount=size)
    throttle.hit_shared_window(_FILES_OF_TENANT, remote_address, tenant, amount=size, done=True)


def _hit_limits(
    throttle: Throttle,
    counted: Iterable[tuple[Limit, tuple[str, ...]]],
    shared: Limit,
    tenant: str,
    remote_address: str | None,
    known: Callable[[], bool] = lambda: False,
) -> int | None:
    """Count one hit for each limit, and last for the one that all networks of a tenant share."""
    wait = throttle.hit_sliding_window(counted)
    if wait is not None:
        return wait
    result = throttle.hit_shared_window(shared, remote_address, tenant)
    return None if result.allowed or known() else _refused(shared, result, tenant)


def _refused(limit: Limit, result: LimitResult, tenant: str) -> int:
    log_security_event(SecurityEvent.LIMITED, tenant=tenant, limit=limit.name)
    return result.reset_after
