"""Building blocks of the worker: the outbox, the mail queue, the sync of a service's lists, and repeated jobs.

Start with outbox: it stores what must be sent, sends it, and records the result. sync reads a service's lists page by
page; mails queues and sends emails; schedule repeats a job at an interval.
"""
