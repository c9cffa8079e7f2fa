"""Notices to search engines about new, changed and closed postings: optional, chosen by the tenant.

In: changes of the mirror. Out: rows in the outbox, and requests to search engines. Problems here affect nothing else.
Start with changes.

tables       what each search engine has been notified of, by posting
changes      changes since then → batches in the outbox, within the daily quota
search_engines  Google's Indexing API, IndexNow, and the outbox's handlers
"""
