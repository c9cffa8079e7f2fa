"""What a process says of itself: one line an event, the same for servers, workers, the service and their children.

    events    what happened, by name, with checked facts: `event(Happened.ACCEPTED, tenant=…)`
    security  who knocked where they may not: a stream of its own, people as keyed hashes
    request   the id of the request that is being answered, in each of its lines
    lines     a record as JSON or as text; of an exception its type and place, never its words
    outlet    standard error, which holds nobody up: a reader that stops reading costs lines and no request
    begin     all of it, once a process

It knows errors and the clock, and nothing of what happened.
"""

from portal.logs.events import Happened, Part, event, running
from portal.logs.security import Seen, seen

__all__ = ["Happened", "Part", "Seen", "event", "running", "seen"]
