"""What must reach a tenant's service once, whatever it is: accepted, scanned, sent, operated, given up, forgotten.

Knows no kind. A kind (applications/, records/) brings its payload's model, the request that it becomes, its question
before it is sent (arrived? overtaken?), and the names of its letters. The outbox is the machine below.

kinds      what a kind is; an envelope, sealed and opened
tables     envelopes, and the consents that were given with them
accept     one transaction: envelope, claim of the upload, outbox, letter
handler    the outbox's handler: ask, send, and what follows from each end
scanning   what is held until the scanner has seen it
receipt    where one stands, for its person
operate    list, show, retry, discard
person     what one person sent: listed, shown to them whole, taken back
purge      what is forgotten, and when
consent    texts that people agreed to
alarm      an operator hears that the service turns us away
health     how delivery is, a line each
"""
