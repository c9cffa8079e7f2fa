"""What must go out, and whether it did: enqueue, claim, settle, and the loop that does so. Knows no handlers.

    tables     outbox rows and lanes
    states     the states a row goes through
    queue      enqueue, status, release, retry, discard
    claim      who may send now: claim and settle, where workers race
    decide     an error → what happens next (the outcome table)
    giveup     what stays undelivered past its time
    health     counts, ages and breakers, for operators
    worker     threads that claim, hand to a handler, settle

A row holds no personal data: it names a kind and a subject, and the handler of that kind finds the rest.
A lane is a destination (one tenant's service, one mail server): its trouble pauses the lane and nothing else.
"""
