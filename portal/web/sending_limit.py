"""How often one network may send a form. Generous: a whole university may share one address."""

import ipaddress
import logging

from limits import RateLimitItemPerHour, RateLimitItemPerMinute
from limits.errors import StorageError
from limits.storage import storage_from_string
from limits.strategies import MovingWindowRateLimiter

from portal.clock import Clock

log = logging.getLogger(__name__)

_LIMITS = (RateLimitItemPerMinute(100), RateLimitItemPerHour(1_000))


class SendingLimit:
    """Counts posts by network. address: settings.rate_limits, `memory:` or `redis://…`."""

    def __init__(self, address: str, clock: Clock) -> None:
        uri = "memory://" if address == "memory:" else address
        patience = {} if uri == "memory://" else {"socket_timeout": 1, "socket_connect_timeout": 1}
        self._limiter = MovingWindowRateLimiter(storage_from_string(uri, wrap_exceptions=True, **patience))
        self._clock = clock

    def pause(self, remote_address: str | None) -> int | None:
        """Count one post. None if it may go on, else the seconds to wait, 1 to 3,600."""
        network = network_of(remote_address)
        try:
            for limit in _LIMITS:
                if not self._limiter.hit(limit, "apply", network):
                    until = self._limiter.get_window_stats(limit, "apply", network).reset_time
                    return min(max(int(until - self._clock.now().timestamp()) + 1, 1), 3_600)
        except StorageError:
            # Without its store nothing is counted, and turning every job seeker away would be worse than that.
            log.exception("rate limits: the store does not answer; applications are taken without a limit")
        return None


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
