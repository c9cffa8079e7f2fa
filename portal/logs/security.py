"""Security events: a stream of its own (`"stream": "security"`), in which people are keyed hashes.

Equal people are equal over time, so that an attack can be followed; without the key nobody can be looked up.
"""

import logging
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum, StrEnum

from portal.logs import request
from portal.logs.facts import Fact, Facts, Told

log = logging.getLogger("portal.security")
log.setLevel(logging.INFO)

HASH_LENGTH = 16
"""Hex digits of a keyed hash in a line: enough to tell a million people apart."""


_network: ContextVar[Callable[[], str] | None] = ContextVar("network", default=None)


def knocking(network: Callable[[], str] | None) -> None:
    """From here on, in this thread, what is seen was done from this network. network: makes its keyed hash."""
    _network.set(network)


class Seen(StrEnum):
    """Every security event there is; docs/operating.md has a line for each."""

    CODE_ASKED = "code_asked"
    CODE_WRONG = "code_wrong"
    CODE_SPENT = "code_spent"
    """Tried as often as it may be; none will do any more."""
    CODE_EXPIRED = "code_expired"
    SESSION_BEGUN = "session_begun"
    SESSION_ENDED = "session_ended"
    SESSION_REPLACED = "session_replaced"
    """Somebody signed in while signed in: the former session is over."""
    FORBIDDEN = "forbidden"
    """Answered 403."""
    LIMITED = "limited"
    """Answered 429; `limit` says which limit."""
    UPLOAD_REFUSED = "upload_refused"
    ADDRESS_CHANGED = "address_changed"
    """A change of a record that concerns its addresses was accepted."""
    ERASURE_ASKED = "erasure_asked"
    WITHDRAWN = "withdrawn"
    KEY_REFUSED = "key_refused"
    """A tenant's service does not take the key that we have."""
    FORM_REFUSED = "form_refused"
    """A form's token is forged, or of another form."""
    CONSOLE_REFUSED = "console_refused"
    """Somebody asked for the console who may not see it."""


@dataclass(frozen=True, slots=True)
class Sighting(Told):
    """What a record's `msg` is."""

    seen: Seen
    said: Mapping[str, Fact]

    @property
    def event(self) -> str:
        """The event's name."""
        return self.seen.value

    def facts(self) -> Mapping[str, Fact]:
        """Checked."""
        return self.said


def seen(
    what: Seen,
    *,
    tenant: str | None = None,
    mailbox: str | None = None,
    reference: str | None = None,
    limit: str | None = None,
    reason: Enum | None = None,
) -> None:
    """Say what was seen. mailbox: its keyed hash (sealing.in_a_log). limit: its name. Raises nothing.

    The network, where there is one, and the request's id are known here.
    """
    network = _network.get()
    said = Facts(
        stream="security",
        tenant=tenant,
        reference=reference,
        request=request.current(),
        mailbox=mailbox,
        network=network() if network else None,
        limit=limit,
        reason=reason,
    )
    log.info(Sighting(what, said))
