"""The careers portal, and the recruitment tracking service for those that have none.

Verbs own addresses, nouns own tables, adapters own the outside world. Imports point down:

    cli            the `portal` command, a module a command group
    demo           the whole product as one process tree, with two invented companies
    work           what a worker does beside serving pages
    app            create_app(parts): the slices around the parts
    browse apply profile subscribe        slices: Flask, independent of each other
    tracker        the service itself: own Flask app, own database
    web            what pages share: tenant from address, errors to pages, headers, access markers
    parts          settings → parts: one bag for pages, worker and commands
    requests       what people are owed: withdrawal, erasure, access
    kinds          the kinds of delivery, by name
    applications records                  the kinds, independent of each other: payload, request, question, letters
    deliveries     what must reach a service once; knows no kind
    signin         codes and sessions
    alerts         searches that people subscribed to
    letters        what is said by mail
    uploads        a CV between browser and delivery
    vacancies      the mirror, publishing rules, search
    candidates     the private index e-mail → candidate
    passes         a walk over a list of the service: due, lease, pages, deletions, several at once
    outbox         enqueue, claim, settle
    tenants        tenant files, and a tenant's addresses
    upstream attachments mail             adapters: the service's client, stores, senders
    contract       the service's interface as data
    db outages settings sealing signing throttling confined errors clock normal_forms shipped      the ground
"""
