"""Building blocks of the worker: the outbox, the mail queue and the sync of a service's lists.

Start with outbox: it stores what must be sent, sends it, and records the result. sync reads a service's lists page by
page; mails queues and sends emails.
"""
