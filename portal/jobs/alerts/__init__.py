"""Job alerts: searches that people subscribed to by email. Only this package writes its tables.

In: a subscription (address, search, frequency), and the mirror's open postings. Out: mails in the queue of emails.
Start with subscribing.

tables       the tables
subscribing  subscribe, confirm, renew, end
sending      the worker's part: queues mails of due alerts, deletes expired alerts; how many there are
"""
