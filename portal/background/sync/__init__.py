"""Passes over a list of a tenant's service, its vacancies (§4.1) or its candidates (§4.2). Owns the table `passes`.

A pass reads the list and gives each page to a Reader, which stores the records and is implemented by the caller
(jobs.mirror, people.index). The schedule of passes, the reading of a list to its end, and the recorded state are the
same for both lists, and are implemented here. Start with run.

    tables    the state of each list
    state     the same in memory: whether a pass is due, the state after a pass, and whether records that are no
              longer listed count as deleted; passes that found nothing new, recorded together
    lease     one pass over a list at a time; a pass that loses its lock writes nothing
    paging    page after page, even if the cursor misbehaves
    run       one pass, and the interface that callers implement
    schedule  which passes are due, and several of them at once, so that a slow service delays only itself
    health    for operators, with the expiry dates of the services' certificates
"""
