"""Rate limits: hits counted under named limits, in this process or in a Redis that several processes share.

throttle    limits, and the two ways to count: moving windows for what people do, fixed windows for programs and for
            limits that all networks share; which network an address belongs to
counters    stores of counters: memory, Redis

The limits' values are declared where they are applied: most in site/forms/rate_limits. How many emails a mailbox may be
sent is counted in the database, with the emails (background/mails/quota).
"""

from portal.platform.rate_limits.throttle import (
    Limit,
    LimitResult,
    Throttle,
    network_of,
    per_network_limits,
    wide_network_of,
)

__all__ = ["Limit", "LimitResult", "Throttle", "network_of", "per_network_limits", "wide_network_of"]
