"""What must go out, and whether it did: enqueue, claim, settle, and the loop that does so. Knows no handlers.

    tables     outbox rows and lanes
    states     the states a row goes through
    queue      enqueue, status, release, retry, discard
    alive      workers show that they are there
    claim      who may send now, where workers race
    room       how much of a lane may be in flight
    settle     what came of it, for many at once
    decide     an error → what happens next (the outcome table)
    giveup     what stays undelivered past its time
    health     counts, ages and breakers, for operators
    crew       what a worker's threads share: claimed for all, recorded together
    worker     threads that claim, hand to a handler, settle

A row holds no personal data: it names a kind and a subject, and the handler of that kind finds the rest.
A lane is a destination (one tenant's service, one tenant's mail): its trouble pauses the lane and nothing else. Lanes
whose names begin alike, like `mail:acme` and `mail:globex`, are a family: a mail server that is away pauses them all.
"""
