"""The careers portal, and the recruitment tracking service for those that have none.

Verbs own addresses, nouns own tables, adapters own the outside world. Imports point down:

    cli            the `portal` command, a module a command group
    demo           the whole product as one process tree, with two invented companies
    work           what a worker does beside serving pages
    app            create_app(settings, parts): the only place that wires
    browse apply   slices: Flask, independent of each other
    tracker        the service itself: own Flask app, own database
    web            what pages share: tenant from address, errors to pages, headers, access markers
    applications   accept in one transaction; what the outbox delivers
    vacancies      the mirror, publishing rules, search
    outbox         enqueue, claim, settle
    tenants        tenant files
    upstream attachments mail             adapters: the service's client, stores, senders
    contract       the service's interface as data
    db settings errors clock              the ground
"""
