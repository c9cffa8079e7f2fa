"""How often one network may send a form. Generous: a whole university may share one address."""

from portal.throttling import Limit, Throttle, network_of

_LIMITS = (Limit("apply", 100, 60), Limit("apply", 1_000, 3_600))


def pause_of_sending(throttle: Throttle, remote_address: str | None) -> int | None:
    """Count one post. None if it may go on, else the seconds to wait, 1 to 3,600."""
    network = network_of(remote_address)
    return throttle.pause((limit, (network,)) for limit in _LIMITS)
