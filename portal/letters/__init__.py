"""Letters: mail to applicants and operators, queued in the transaction that gives cause for them. Owns its tables.

tables     the tables
allowance  how many letters and codes a mailbox has room for; who has proven it
gathering  letters that go out together, because their mailbox had its share
queue      put a letter into the outbox, as part of the caller's transaction
render     template, language, facts → subject, text and HTML
deliver    the outbox's handler: letter → mail server; what was sent is forgotten at once
"""
