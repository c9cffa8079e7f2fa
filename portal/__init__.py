"""The careers portal, and the recruitment tracking service for those that have none.

Verbs own addresses, nouns own tables, adapters own the outside world. Imports point down:

    cli            the `portal` command, a module a command group
    demo           the whole product as one process tree, with two invented companies
    work           what a worker does beside serving pages
    app            create_app(settings, parts): the only place that wires
    browse apply profile                  slices: Flask, independent of each other
    tracker        the service itself: own Flask app, own database
    web            what pages share: tenant from address, errors to pages, headers, access markers
    records        a candidate's change of the record, its delivery, requests
    applications   accept in one transaction; what the outbox delivers
    signin         codes and sessions
    vacancies      the mirror, publishing rules, search
    candidates     the private index e-mail → candidate
    passes         a walk over a list of the service: due, lease, pages, deletions, several at once
    outbox         enqueue, claim, settle
    tenants        tenant files
    upstream attachments mail             adapters: the service's client, stores, senders
    contract       the service's interface as data
    db outages settings sealing throttling errors clock      the ground
"""
