"""What the desk says: causes with their remedies, states, and times. In English, as the commands."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from babel.dates import format_timedelta

from portal.outbox.states import State


@dataclass(frozen=True, slots=True)
class Cause:
    """Why something does not go on. remedy: what an operator does about it."""

    says: str
    remedy: str


_A_MOMENT = timedelta(seconds=5)
_WAITS = "Nothing to do: it is tried again by itself."
_THEN = "Once that is mended, what waits goes by itself."
_CAUSES = {
    "NotSent": Cause(
        "The service cannot be reached", "Is it running, and [tracker] base_url of the tenant file right? " + _THEN
    ),
    "MayHaveArrived": Cause(
        "The service did not say whether it took it", "It is looked up there, and sent again only if it is not there."
    ),
    "NotSentAgainYet": Cause(
        "It may have arrived, and the service does not show it", "It is sent again when its pause is over."
    ),
    "WorkerVanished": Cause("The worker that sent it is gone", "It is looked up at the service, then sent again."),
    "Throttled": Cause("The service asked for a pause", _WAITS),
    "NotNow": Cause("The service says: not now", _WAITS),
    "NotTheService": Cause(
        "Something else answers at the service’s address",
        "Correct [tracker] base_url of the tenant file, or what stands before the service; then retry.",
    ),
    "Redirected": Cause(
        "The service’s address leads elsewhere, and nothing is sent there",
        "Correct [tracker] base_url of the tenant file; it is taken up at once.",
    ),
    "KeyRefused": Cause(
        "The service refuses the key",
        "Put a new key where [tracker] api_key of the tenant file points; it is taken up at once.",
    ),
    "NotThere": Cause(
        "The service does not know this job or record (404)",
        "Ask the company whether the job is still there; then retry, or discard it.",
    ),
    "Conflicting": Cause(
        "The service says that it contradicts what it has (409)", "Ask the company; then retry, or discard it."
    ),
    "Rejected": Cause(
        "The service will not take it as it is",
        "Ask the company what its service refuses; then retry, or discard it. Its person was told.",
    ),
    "StoreUnavailable": Cause("The store of files does not answer", "See “portal check”: attachments. " + _THEN),
    "StoreMisconfigured": Cause(
        "The store of files refuses the portal", "See “portal check”: attachments; correct bucket or rights."
    ),
    "AttachmentMissing": Cause(
        "Its file is no longer in the store", "Bring the file back, then retry; or discard it and ask for another."
    ),
    "ScannerUnavailable": Cause("The malware scanner does not answer", "Start it. " + _THEN),
    "Infected": Cause(
        "The scanner found a threat in its file", "Discard it; its person was asked for another. Retry scans again."
    ),
    "MailUnavailable": Cause("The mail server does not answer", "See “portal check”: mail. " + _THEN),
    "MailDelayed": Cause("The mail server takes this one later", _WAITS),
    "MailRefused": Cause("The mail server refuses this address for good", "The letter is not sent."),
    "TenantAway": Cause("The tenant file is gone or wrong", "Correct the file; it is taken up at once."),
    "Replaced": Cause("Its person sent a later one in its place", "Nothing to do."),
    "Overtaken": Cause("Somebody else changed the record meanwhile", "Nothing to do: its person was told."),
    "Unconfirmed": Cause("Its sender did not confirm it in time", "Nothing to do."),
    "NotLookedAt": Cause("Nobody looked at it until its time was over", "Retry sends it, discard drops it."),
    "TemporaryFolderFull": Cause("The disk of temporary files is full", "Make room on it. " + _THEN),
    "InspectionUnavailable": Cause("Nobody could look into its file", "See “portal check”: inspection. " + _THEN),
    "DatabaseUnavailable": Cause("The database was away meanwhile", _WAITS),
    "Fault": Cause("A fault of the portal", "See the log for its place, and report it. " + _WAITS),
}
_UNKNOWN = Cause("It did not work", "See the log of the worker.")

STATES = {
    State.HELD: ("Held", "It waits until it may go on."),
    State.DUE: ("Due", "A worker takes it next."),
    State.SENDING: ("Being sent", "A worker is sending it."),
    State.RETRY: ("Waits for a try", "A try failed; it is tried again by itself."),
    State.AMBIGUOUS: ("May have arrived", "It is looked up at the service before it is sent again."),
    State.DELIVERED: ("Delivered", "The service has it."),
    State.PURGED: ("Delivered, forgotten", "The service has it, and the portal’s copy is erased."),
    State.DEAD: ("Dead", "It is not tried any more until you retry it."),
    State.DISCARDED: ("Discarded", "It was given up, and what it said is erased."),
}
"""State → (its name, what it means)."""

HELD_FOR = {
    "scanner": Cause("The scanner has not seen its file yet", "It goes on by itself once the scanner has."),
    "operator": Cause("A program may have sent it", "Look at why, then release or discard it."),
    "person": Cause("Its sender has not confirmed it by mail yet", "It goes on when they do; you can release it."),
}

ACTS = {
    "retry": "sent it again",
    "release": "released it",
    "discard": "discarded it",
    "done": "said that it is done",
    "wake": "had the service tried",
    "check": "ran the check",
}
"""Act → what somebody did."""


def cause(outcome: str | None) -> Cause:
    """Of a failure's class name, or one of outbox/states.py's outcomes."""
    return _CAUSES.get(outcome or "", _UNKNOWN)


def how_long(now: datetime, then: datetime) -> str:
    """From now, in words: `3 minutes ago`, `in 2 hours`."""
    if abs(then - now) < _A_MOMENT:
        return "just now"
    return str(format_timedelta(then - now, add_direction=True, locale="en_GB", threshold=1.2))


def for_how_long(seconds: float) -> str:
    """A span, in words: `3 minutes`."""
    return str(format_timedelta(timedelta(seconds=seconds), locale="en_GB", threshold=1.2))


def ago(seconds: float) -> str:
    """Of something that old: `3 minutes ago`."""
    return "just now" if seconds < _A_MOMENT.total_seconds() else f"{for_how_long(seconds)} ago"


def at(instant: datetime) -> str:
    """To the second, in UTC."""
    return f"{instant:%Y-%m-%d %H:%M:%S} UTC"
