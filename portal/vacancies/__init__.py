"""The mirror of a tenant's vacancies: what is stored of them, publishing rule, search. Owns the vacancy tables.

    posting      what a public posting is, and what a search asks and answers
    tables       the tables

reading the service, by workers (passes/ reads it page by page)
    mirror       what a page becomes
    details      posting ids that are in a vacancy's detail alone
    ingest       the whitelist
    description  HTML as recruiters paste it → safe HTML
    bare_markup  its tags without attributes, followed on a stack: what would take long to parse is refused
    cleaning     long ones in processes whose time ends
    country      names → ISO 3166-1
    language     which one a posting is in
    stored       what a pass compares with
    writing      rows, publications by rule, words, counts: true together after every page
    sweep        what is gone, and a changed rule
    state        where a mirror stands between passes

showing, by pages
    search       a list, and one posting
    question     a query as it is asked of the database
    matching     words → rows, on SQLite and PostgreSQL; typos
    words        text → normalised words, and back to marks
    facets       filters with counts
    counts       counts that are kept, at any instant
    gazetteer    where cities are
    folding      text of any script → lower-case ASCII
    page cursor hits     a page of a list
    version      what kept pages are kept by
    health       for operators
"""
