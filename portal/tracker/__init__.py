"""The recruitment tracking service: its own Flask application, database and administration.

It implements the ten operations of the interface document: requests with an API key or a tenant slug come in, JSON or
RFC 9457 problems go out. Start reading at `app`; docs/tracker.md lists the choices made where the interface document is
silent.

    app             create_tracker: wires the modules below; /healthz, /readyz, /metrics; body and concurrency limits
    wsgi            entry points for the production server and for any other WSGI server
    keys            API keys and rate limits (§5)
    request_reading
                    bodies and queries, rejected with a pointer to what is wrong
    problems        every rejection and failure as RFC 9457 problem details
    with_key        operations 4.1 to 4.7 and 4.9
    public          operations 4.8 and 4.10, as transactions
    vacancies candidates applications stages people    what is stored, and how it is shown
    idempotency     Idempotency-Key
    revisions       strictly increasing modification times of a tenant
    shapes          records as JSON, with every member of the interface present
    hiring          pages on which colleagues of a company post jobs and answer applications
    administration  tenants, companies and keys, which the interface has no operation for
    loading         stores the records of a file, one transaction per batch; resumable
    records         reads a file of records, one at a time
    openapi         the OpenAPI document and the reference page (pages/)
    tables upsert migrations    storage
"""
