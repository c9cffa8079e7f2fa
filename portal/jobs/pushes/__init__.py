"""Notices to search engines and webhooks about new, changed and closed postings: optional, chosen by the tenant.

In: changes of the mirror. Out: rows in the outbox, and requests to them. Problems here affect nothing else.
Start with changes.

tables       what each recipient has been notified of, by posting
changes      changes since then → batches in the outbox, within the daily quota
search_engines  Google's Indexing API, IndexNow, and the outbox's handlers
job_events   changes since a company's webhook was last notified → an event for each job in the outbox
webhooks     content and signature of such an event, and the outbox's handler
"""
