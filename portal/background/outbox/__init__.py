"""The outbox: a queue in the database of everything that must be sent. Kinds of delivery are plugged in as handlers.

Callers add rows with queue.enqueue, inside their own transaction. Workers claim rows that are due, pass each to the
handler of its kind, and record the result. Start with queue, then claim, worker and settle.

    tables        outbox rows, lanes and workers
    states        the states of a row
    queue         enqueue, status, release, retry, discard
    heartbeat     which workers are running
    claim         take rows to send, safely among competing workers
    concurrency   how many rows of a lane may be in flight
    settle        record the results of attempts, many per transaction; fail rows that are not delivered in time
    retry_policy  an error → what happens next (the outcome table)
    event_log     log lines about rows
    health        counts, ages and open circuit breakers, for monitoring; one row and all lanes, for the console
    batching      the threads of one worker share claims and record results together
    wakeup        wake idle workers when there is work; repeat jobs with a pause
    worker        threads that claim a row, call its handler, and settle it

A row holds no personal data: it names a kind and a subject, from which the handler of that kind finds the data. A lane
is the channel to one destination (one tenant's service, one tenant's mail): a failure pauses that lane only. Lanes with
the same first part, such as `mail:acme` and `mail:globex`, form a family: they share a destination, so an outage of the
mail server pauses them all.
"""
