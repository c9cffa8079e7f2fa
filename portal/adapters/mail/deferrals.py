"""Distinguishes a mail server that defers every message from a recipient's server that does.

Both look the same: a 4xx response, or none after the message. If several recipient domains in a row are deferred and no
message is accepted in between, the mail server is the cause.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from portal.adapters.mail.message import Message
from portal.platform.clock import Clock
from portal.platform.errors import MailDefersAll, MailDelayed

_DOMAINS = 3
"""Number of different recipient domains that have to be deferred in a row."""
_WINDOW = 600.0
"""Seconds within which they count. A few full mailboxes that are retried every few hours at night are no outage."""


class Deferrals:
    """The deferrals in this process since the last accepted message. Thread-safe."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._deferred_at: dict[str, float] = {}

    @contextmanager
    def counted(self, message: Message) -> Iterator[None]:
        """Send one message in the block. Raises MailDefersAll instead of MailDelayed if every domain is deferred."""
        try:
            yield
        except MailDelayed as error:
            if not error.of_sender and self._is_everybody(message.domain):
                raise MailDefersAll(f"the mail server defers every message: {error}") from None
            raise
        with self._lock:
            self._deferred_at.clear()

    def _is_everybody(self, domain: str) -> bool:
        now = self._clock.monotonic()
        with self._lock:
            self._deferred_at[domain] = now
            recent = {name: at for name, at in self._deferred_at.items() if now - at <= _WINDOW}
            self._deferred_at = recent
            return len(recent) >= _DOMAINS
