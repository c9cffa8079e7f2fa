"""How often a code may be asked for: by address, by network and by tenant. The same for every address, known or not."""

import logging

from limits import RateLimitItem, RateLimitItemPerDay, RateLimitItemPerHour, RateLimitItemPerMinute
from limits.errors import StorageError
from limits.storage import storage_from_string
from limits.strategies import MovingWindowRateLimiter

from portal.clock import Clock
from portal.web.sending_limit import network_of

log = logging.getLogger(__name__)

_ADDRESS = (RateLimitItemPerMinute(5, 15), RateLimitItemPerDay(20))
"""A mailbox is not flooded, whoever asks from wherever."""
_MAILBOX = (RateLimitItemPerMinute(10, 15), RateLimitItemPerDay(40))
"""The same over all companies, and whatever stands behind a + in front of the @: it is one mailbox."""
_NETWORK = (RateLimitItemPerHour(500),)
"""A university may share one address of the network."""
_TENANT = (RateLimitItemPerHour(3_000),)
_TRIES = (RateLimitItemPerHour(1_000),)
_FILES = (RateLimitItemPerHour(30),)


class AskingLimit:
    """address: settings.rate_limits, `memory:` or `redis://…`."""

    def __init__(self, address: str, clock: Clock) -> None:
        uri = "memory://" if address == "memory:" else address
        patience = {} if uri == "memory://" else {"socket_timeout": 1, "socket_connect_timeout": 1}
        self._limiter = MovingWindowRateLimiter(storage_from_string(uri, wrap_exceptions=True, **patience))
        self._clock = clock

    def asking(self, *, tenant: str, address: str, mailbox: str, remote_address: str | None) -> int | None:
        """Count one request. None if it may go on, else the seconds to wait, at most 3,600.

        address: its keyed hash at this tenant. mailbox: that of the mailbox behind it, the same at every tenant.
        """
        return self._pause(
            [(limit, ("ask-network", network_of(remote_address))) for limit in _NETWORK]
            + [(limit, ("ask-tenant", tenant)) for limit in _TENANT]
            + [(limit, ("ask-address", tenant, address)) for limit in _ADDRESS]
            + [(limit, ("ask-mailbox", mailbox)) for limit in _MAILBOX]
        )

    def trying(self, *, remote_address: str | None) -> int | None:
        """Count one code that was typed in."""
        return self._pause([(limit, ("try-network", network_of(remote_address))) for limit in _TRIES])

    def storing(self, *, tenant: str, address: str) -> int | None:
        """Count one file that somebody who is signed in wants to be stored."""
        return self._pause([(limit, ("store-address", tenant, address)) for limit in _FILES])

    def _pause(self, counted: list[tuple[RateLimitItem, tuple[str, ...]]]) -> int | None:
        try:
            for limit, who in counted:
                if not self._limiter.hit(limit, *who):
                    until = self._limiter.get_window_stats(limit, *who).reset_time
                    return min(max(int(until - self._clock.now().timestamp()) + 1, 1), 3_600)
        except StorageError:
            # Nobody is signed in without a code, so a store that is away costs mail, not safety.
            log.exception("rate limits: the store does not answer; codes are sent without a limit")
        return None
