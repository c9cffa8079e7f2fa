"""The careers portal, and the recruitment tracking service for those that have none.

Verbs own addresses, nouns own tables, adapters own the outside world. Imports point down:

    app            create_app(settings, adapters): the only place that wires
    cli            the `portal` command, a module a command group
    browse apply profile reach embed      slices: Flask, independent of each other
    tracker        the service itself: own Flask app, own database
    web            what pages share: tenant from address, errors to pages, headers, access markers
    applications   accept in one transaction; what the outbox delivers
    vacancies candidates signin           the mirror, the private index, codes and sessions
    outbox tenants                        enqueue, claim, settle; tenant files
    upstream attachments mail             adapters: the service's client, stores, senders
    contract       the service's interface as data
    db settings errors clock              the ground
"""
