"""The mirror of a tenant's vacancies: passes over the service, publishing rule, search. Owns the vacancy tables.

posting    what a public posting is
tables     the tables
mirror     passes over the service
ingest     whitelist, sanitising, publishing rule
search     list, filters, counts
"""
