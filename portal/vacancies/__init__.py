"""The mirror of a tenant's vacancies: passes over the service, publishing rule, search. Owns the vacancy tables.

    posting      what a public posting is, and what a search asks and answers
    tables       the tables

reading the service, by workers
    mirror       passes, incremental and full; which tenant wants one
    lease        one pass per tenant at a time
    scan         page after page, whatever the cursor does
    ingest       the whitelist
    description  HTML as recruiters paste it → safe HTML
    country      names → ISO 3166-1
    language     which one a posting is in
    stored       what a pass compares with
    keeping      rows, publications by rule, words, counts: true together after every page
    sweep        withdrawing what is gone, within reason
    state        where a mirror stands between passes

showing, by pages
    search       a list, and one posting
    question     a query as it is asked of the database
    matching     words → rows, on SQLite and PostgreSQL; typos
    words        text → normalised words, and back to marks
    facets       filters with counts
    counts       counts that are kept, at any instant
    gazetteer    where cities are
    page cursor hits     a page of a list
    version      what kept pages are kept by
    health       for operators
"""
