"""Texts of the console: causes with their remedies, states, and times. In English, like the commands."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from babel.dates import format_timedelta

from portal.background.outbox.states import OutboxState


@dataclass(frozen=True, slots=True)
class Cause:
    """Why something is not progressing. remedy: what an operator can do about it."""

    says: str
    remedy: str


_A_MOMENT = timedelta(seconds=5)
_WAITS = "Nothing to do: it is retried automatically."
_THEN = "Once this is fixed, whatever is waiting is sent automatically."
_CAUSES = {
    "NotSent": Cause(
        "The service cannot be reached",
        "Check that it is running and [tracker] base_url in the tenant file is right. " + _THEN,
    ),
    "NameUnresolved": Cause(
        "The name of the service has no address",
        "Correct the host in [tracker] base_url of the tenant file, or fix the name server. " + _THEN,
    ),
    "ConnectionRefused": Cause(
        "Nothing listens at the service’s address",
        "Start the service, or correct host and port in [tracker] base_url of the tenant file. " + _THEN,
    ),
    "CertificateExpired": Cause("The service’s certificate has expired", "Renew it at the service. " + _THEN),
    "CertificateWrongHost": Cause(
        "The service’s certificate is for another name",
        "Correct the host in [tracker] base_url of the tenant file, or the certificate. " + _THEN,
    ),
    "CertificateUntrusted": Cause(
        "This machine does not trust who signed the service’s certificate",
        "Complete the chain at the service, or name its authority in SSL_CERT_FILE and restart. " + _THEN,
    ),
    "MayHaveArrived": Cause(
        "The service did not confirm receipt", "The portal checks there, and sends it again only if it is missing."
    ),
    "NotSentAgainYet": Cause(
        "It may have arrived, but the service does not show it", "It is sent again after the pause."
    ),
    "WorkerVanished": Cause(
        "The worker that was sending it stopped", "The portal checks the service, then sends it again."
    ),
    "Throttled": Cause("The service asked for a pause", _WAITS),
    "TemporarilyUnavailable": Cause("The service is temporarily unavailable", _WAITS),
    "NotTheService": Cause(
        "Something else responds at the service’s address",
        "Correct [tracker] base_url in the tenant file, or whatever is in front of the service; then retry.",
    ),
    "AnswerTooLong": Cause(
        "The service’s answer is longer than any that is read",
        "Ask whoever runs the service which record is that large; then retry.",
    ),
    "ProxyAnswered": Cause(
        "A web page comes back in place of the service’s answer",
        "See what stands before the service: a proxy, a firewall, a maintenance page; or correct [tracker] base_url. "
        "The service is asked again within seconds; a request is sent once more at most.",
    ),
    "Redirected": Cause(
        "The service’s address redirects elsewhere, so nothing is sent there",
        "Correct [tracker] base_url in the tenant file; the change takes effect immediately.",
    ),
    "KeyRefused": Cause(
        "The service rejects the API key",
        "Put a new key where [tracker] api_key in the tenant file points; it takes effect immediately.",
    ),
    "RecordNotFound": Cause(
        "The service does not know this job or profile (404)",
        "Ask the company whether the job is still there; then retry or discard it.",
    ),
    "Conflicting": Cause(
        "The service reports a conflict with its own data (409)", "Ask the company; then retry or discard it."
    ),
    "Rejected": Cause(
        "The service rejects it in its current form",
        "Ask the company what its service rejects; then retry or discard it. The candidate has been notified.",
    ),
    "StoreUnavailable": Cause("File storage is not responding", "See “portal check”: attachments. " + _THEN),
    "StoreMisconfigured": Cause(
        "File storage rejects the portal", "See “portal check”: attachments; correct the bucket or its permissions."
    ),
    "AttachmentMissing": Cause(
        "Its file is no longer in file storage", "Restore the file, then retry; or discard it and ask for another."
    ),
    "ScannerUnavailable": Cause("The malware scanner is not responding", "Start it. " + _THEN),
    "Infected": Cause(
        "The scanner found a threat in its file",
        "Discard it; the candidate was asked for another file. Retrying scans it again.",
    ),
    "MailUnavailable": Cause("The mail server is not responding", "See “portal check”: mail. " + _THEN),
    "MailDelayed": Cause("The mail server deferred this email", _WAITS),
    "MailDefersAll": Cause(
        "The mail server defers every message", "See its queue and its log: it accepts connections, and no message."
    ),
    "MailRefused": Cause("The mail server permanently rejects this address", "The email is not sent."),
    "CandidatesNotRead": Cause(
        "The company’s candidates have not been read yet", "See “portal check”: index. " + _WAITS
    ),
    "TenantMissing": Cause(
        "The tenant file is missing or invalid", "Correct the file; the change takes effect immediately."
    ),
    "Restored": Cause(
        "It was restored from a backup, and may have been sent since",
        "Nothing to do: the service is asked first; an email is not sent again.",
    ),
    "Replaced": Cause("The candidate sent a later one in its place", "Nothing to do."),
    "Overtaken": Cause(
        "Someone else changed the profile in the meantime", "Nothing to do: the candidate has been notified."
    ),
    "Unconfirmed": Cause("The candidate did not confirm it in time", "Nothing to do."),
    "NotLookedAt": Cause("Nobody reviewed it in time", "Retry to send it, or discard it."),
    "TemporaryFolderFull": Cause("The disk for temporary files is full", "Free up disk space. " + _THEN),
    "InspectionUnavailable": Cause("Its file could not be inspected", "See “portal check”: inspection. " + _THEN),
    "TooManyInspections": Cause("Too many files of one network were inspected at the same time", _WAITS),
    "DiskNearlyFull": Cause("A disk of this machine is nearly full", "Free up disk space. " + _THEN),
    "Unreadable": Cause(
        "None of the secret keys opens it",
        "Add the key that is missing to PORTAL_SECRET_KEY_FALLBACKS, then retry it.",
    ),
    "DatabaseUnavailable": Cause("The database was unavailable", _WAITS),
    "Fault": Cause("Internal error in the portal", "Find its location in the log and report it. " + _WAITS),
}
_UNKNOWN = Cause("It did not work", "See the worker log.")

STATES = {
    OutboxState.HELD: ("Held", "It is waiting until it can continue."),
    OutboxState.DUE: ("Queued", "A worker will send it next."),
    OutboxState.SENDING: ("Sending", "A worker is sending it."),
    OutboxState.RETRY: ("Waiting to retry", "An attempt failed; it is retried automatically."),
    OutboxState.AMBIGUOUS: ("May have arrived", "The portal checks the service before sending it again."),
    OutboxState.DELIVERED: ("Delivered", "The service has it."),
    OutboxState.PURGED: ("Delivered, erased here", "The service has it, and the portal’s copy has been erased."),
    OutboxState.DEAD: ("Failed", "It is not sent again until you retry it."),
    OutboxState.DISCARDED: ("Discarded", "It was discarded, and its content has been erased."),
}
"""State → (its name, what it means)."""

HELD_FOR = {
    "scanner": Cause("The scanner has not checked its file yet", "It continues automatically after the scan."),
    "operator": Cause("It may have been sent by a bot", "Find out why, then release or discard it."),
    "person": Cause(
        "The candidate has not confirmed it by email yet", "It continues when they do; you can release it."
    ),
}

ACTS = {
    "retry": "retried it",
    "release": "released it",
    "discard": "discarded it",
    "done": "marked it as done",
    "wake": "retried the service",
    "check": "ran the check",
    "sign-out": "ended sessions",
}
"""Action → its description in the past tense, such as "ran the check"."""


_FORMER_NAMES = {"NotNow": "TemporarilyUnavailable", "NotThere": "RecordNotFound", "TenantAway": "TenantMissing"}
"""Names that rows of an earlier version have."""


def cause(outcome: str | None) -> Cause:
    """Return the cause for a failure's class name, or for one of the outcomes in outbox/states.py."""
    name = outcome or ""
    return _CAUSES.get(_FORMER_NAMES.get(name, name), _UNKNOWN)


def how_long(now: datetime, then: datetime) -> str:
    """Return the time in words, relative to now: `3 minutes ago`, `in 2 hours`."""
    if abs(then - now) < _A_MOMENT:
        return "just now"
    return str(format_timedelta(then - now, add_direction=True, locale="en_GB", threshold=1.2))


def for_how_long(seconds: float) -> str:
    """Return a duration in words: `3 minutes`."""
    return str(format_timedelta(timedelta(seconds=seconds), locale="en_GB", threshold=1.2))


def ago(seconds: float) -> str:
    """Return in words how long ago something was: `3 minutes ago`."""
    return "just now" if seconds < _A_MOMENT.total_seconds() else f"{for_how_long(seconds)} ago"


def to_second(instant: datetime) -> str:
    """Return the time to the second, in UTC."""
    return f"{instant:%Y-%m-%d %H:%M:%S} UTC"
