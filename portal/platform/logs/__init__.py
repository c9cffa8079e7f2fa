"""Logging: one line for each event, in one form for servers, workers, the tracking service and their children.

Events with checked facts come in, lines of JSON or text go to standard error. Start with `events`; call
`setup.configure_logging` once a process.

    events          what happened, by name, with checked facts: `event(EventName.ACCEPTED, tenant=…)`
    security        security events: a separate stream, with people as keyed hashes
    request         the id of the current request, in each of its lines
    outage_log      start and end of an outage, one line each
    allowed_fields  which facts a line may hold
    formatting      a record as JSON or text; of an exception its type and place, never its message
    stderr_writer   standard error without blocking: if its reader stops, lines are lost, not requests
    setup           configures all of it, once a process

It depends on errors and the clock only, and knows nothing of the features that log.
"""

from portal.platform.logs.events import EventName, Part, event, running
from portal.platform.logs.security import SecurityEvent, log_security_event

__all__ = ["EventName", "Part", "SecurityEvent", "event", "log_security_event", "running"]
