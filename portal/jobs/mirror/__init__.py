"""The mirror: public copies of a tenant's vacancies, kept up to date by syncs of the service's list.

In: pages of vacancies, and their details where posting ids or filters need them (interface document, §4.1 and §4.3).
Out: rows of the tables in jobs/tables.py, with publication, search words and counts. Start with mirror.

mirror            one sync of the list
ingest            record → stored columns, by an allow-list and the tenant's rules
writing           writes vacancies, publications, words and counts
search_index      the words that a posting is found by
version           the version that cached pages depend on
state             the state of a mirror between syncs, and its problems, for operators; withdraws vacancies no longer
                  listed, and applies changed rules
"""
