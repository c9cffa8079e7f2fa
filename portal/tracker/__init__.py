"""The recruitment tracking service: its own Flask application, its own database, its own administration.

    app            create_tracker: wires the parts below
    wsgi           what a worker of the production server imports
    keys           who calls, and how often (§5)
    reading        bodies and queries, refused with a pointer to what is wrong
    problems       every refusal as RFC 9457
    with_key       operations 4.1 to 4.7 and 4.9      public   operations 4.8 and 4.10
    vacancies candidates applications stages people   what is stored, and how it is shown
    submissions    §4.8 and §4.10 as transactions     once     Idempotency-Key
    turns cursors  strictly increasing modification times of a tenant, and where a page starts
    shapes         what a record without something to show looks like
    administration tenants, companies, keys; edits that the interface has no operation for
    loading records                  from a file, streamed and resumed
    describing openapi pages         OpenAPI and the human page
    database tables put migrations

docs/tracker.md has the choices made where the interface document is silent.
"""
