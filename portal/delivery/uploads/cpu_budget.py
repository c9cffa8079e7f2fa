"""Limits the CPU time that the inspection of one network's files may take: even a few files can be expensive."""

from dataclasses import dataclass

from portal.platform.errors import TooManyInspections
from portal.platform.logs import SecurityEvent, log_security_event
from portal.platform.rate_limits import Limit, Throttle, wide_network_of

LIMIT = Limit("inspection-cpu", 20_000, 60)
"""Milliseconds of one core: 20 seconds a minute, which is 200 ordinary CVs."""


@dataclass(frozen=True, slots=True)
class CpuBudget:
    """The CPU budget of the sender's network: a /24 of IPv4 or a /48 of IPv6, since its holder has many addresses."""

    throttle: Throttle
    remote_address: str | None

    @property
    def network(self) -> str:
        """The network that the file counts against."""
        return wide_network_of(self.remote_address)

    def used(self) -> int:
        """Return the milliseconds used in the current minute. Raises TooManyInspections if none are left."""
        used = self.throttle.fixed_window_usage(LIMIT, self.network)
        if used >= LIMIT.most:
            log_security_event(SecurityEvent.LIMITED, limit=LIMIT.name)
            raise TooManyInspections(LIMIT.seconds)
        return used

    def charge(self, seconds: float) -> None:
        """Count the CPU seconds that a file took; the last one may exceed the budget."""
        self.throttle.hit_fixed_window(LIMIT, self.network, amount=max(1, round(1_000 * seconds)))
