"""The envelope: the part that all deliveries share, from acceptance to purge, regardless of their kind.

A kind (delivery/applications, delivery/record_changes) provides the model of its payload, the request that it becomes,
the check before it is sent (arrived already? overtaken?), and the names of its emails. The outbox sends the envelopes.
Start with accept and handler.

    kinds            the interface of a kind; an envelope, sealed and opened
    tables           envelopes, the consents given with them, and where a candidate came from
    accept           one transaction: envelope, claim of the upload, outbox row, email
    references       signed references of deliveries, recognised even if a restore has lost the delivery
    repeats          which earlier delivery a new one repeats; no retry if the content was submitted again
    handler          the outbox's handler: check, send, and the consequences of each final state
    scanning         release of held deliveries once the scanner has checked their file
    receipt          the status of a delivery, for the candidate and for operators
    submissions      list, show, retry, release, discard, for operators
    person           deliveries of one person: list, show in full, withdraw, erase; purge of finished ones
    retention        deletes old receipts, and contents of failed deliveries after a notice to the operator
    consent          texts that people agreed to
    misconfiguration
                     tells an operator that the service rejects every request; resumes once that is fixed
    health           the health of delivery, one line each
"""
