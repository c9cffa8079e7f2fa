"""Security events: a separate stream (`"stream": "security"`), in which people are keyed hashes.

The same person has the same hash over time, so that an attack can be followed; without the key no person can be looked
up.
"""

import logging
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum, StrEnum

from portal.platform.logs import request
from portal.platform.logs.allowed_fields import Fact, Facts, StructuredMessage

log = logging.getLogger("portal.security")
log.setLevel(logging.INFO)

HASH_LENGTH = 16
"""Hex digits of a keyed hash in a line: enough to tell a million people apart."""


_network: ContextVar[Callable[[], str] | None] = ContextVar("network", default=None)


def attribute_to(network: Callable[[], str] | None) -> None:
    """Attribute this thread's security events to a network from now on. network: makes its keyed hash; None: none."""
    _network.set(network)


class SecurityEvent(StrEnum):
    """Every security event there is; docs/operating/monitor.md has a line for each."""

    CODE_ASKED = "code_asked"
    CODE_WRONG = "code_wrong"
    CODE_SPENT = "code_spent"
    """A code has been tried the maximum number of times, and is no longer valid."""
    CODE_EXPIRED = "code_expired"
    SESSION_BEGUN = "session_begun"
    SESSION_ENDED = "session_ended"
    SESSION_REPLACED = "session_replaced"
    """Somebody signed in while a session was open: the former session ended."""
    FORBIDDEN = "forbidden"
    """Response 403."""
    LIMITED = "limited"
    """Response 429; `limit` says which limit."""
    UPLOAD_REFUSED = "upload_refused"
    ADDRESS_CHANGED = "address_changed"
    """A change of a profile that concerns its addresses was accepted."""
    ADDRESS_UNDONE = "address_undone"
    """Such a change was undone through the link that was sent to a former address."""
    ERASURE_ASKED = "erasure_asked"
    WITHDRAWN = "withdrawn"
    KEY_REFUSED = "key_refused"
    """A tenant's service rejects the configured API key."""
    KEY_WRONG = "key_wrong"
    """Somebody called the service with an API key that is not valid."""
    FORM_REFUSED = "form_refused"
    """A form's token is forged, or of another form."""
    CONSOLE_REFUSED = "console_refused"
    """Somebody without permission requested the console."""


@dataclass(frozen=True, slots=True)
class SecurityMessage(StructuredMessage):
    """Structured message of the logger `portal.security`."""

    seen: SecurityEvent
    fields: Mapping[str, Fact]

    @property
    def event(self) -> str:
        """Name of the event."""
        return self.seen.value

    def facts(self) -> Mapping[str, Fact]:
        """Return the checked facts."""
        return self.fields


def log_security_event(
    what: SecurityEvent,
    *,
    tenant: str | None = None,
    mailbox: str | None = None,
    reference: str | None = None,
    limit: str | None = None,
    reason: Enum | None = None,
) -> None:
    """Log a security event. mailbox: its keyed hash (sealing.mailbox_in_a_log). limit: its name. Raises nothing.

    The current network, if there is one, and the request's id are added.
    """
    network = _network.get()
    fields = Facts(
        stream="security",
        tenant=tenant,
        reference=reference,
        request=request.current(),
        mailbox=mailbox,
        network=network() if network else None,
        limit=limit,
        reason=reason,
    )
    log.info(SecurityMessage(what, fields))
