"""Telling search engines of a change at once: optional, a tenant's choice, and never in the way of anything else.

tables      what was told of each posting, by channel
notice      what has changed since → batches in the outbox, within a day's allowance
index_now   IndexNow (https://www.indexnow.org/documentation)
google      Google's Indexing API, with a service account
exchange    one request and its answer
deliver     the outbox's handlers
health      for operators
"""
