"""A tenant's vacancies: mirrored from its tracking service, published by its rules, searched and announced.

In: the service's vacancy list (§4.1). Out: public postings, search results, job alerts, notices to search engines and
webhooks. Only this package writes its tables. Start with posting and mirror.mirror.

mirror     syncs the service's list and stores what may be public
search     postings for a visitor's query, with filters and counts
places     towns, regions and countries by name or postal code
text       descriptions: sanitised, in plain text, with their language
alerts     job alerts by email
pushes     notices of new, changed and closed postings to search engines and webhooks
posting    what a public posting is, and a query and its results
tables     the database tables
open_jobs  every open posting, for feeds and sitemaps
"""
