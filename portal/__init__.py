"""The careers portal, and the recruitment tracking service for companies that have none.

Imports point down this list; import-linter enforces it. Each table is written by one package only.

    cli            the `portal` command, one module per command group
    demo           the whole product as one process tree, with two invented companies
    app worker     build web application and worker from the services (housekeeping: its expiries and erasures)
    tracker        the recruitment tracking service: its own Flask application and database
    services       opens, from the settings, the services of one process: database, tenants, storage, tracker client
    operations     for operators: console, manual actions with their audit log, health
    site           everything served to browsers and programs: browse, apply, account, alerts, feeds, embed
    delivery       deliveries to a tracking service, exactly once: applications, changes of a profile, privacy requests
    jobs           vacancies: mirror, search, places, descriptions, alerts, pushes to search engines and webhooks
    people         sign-in, sessions, the index from email addresses to candidates
    background     outbox, emails, syncing a service's lists
    tenants        tenant files, addresses and pictures
    gateway        the WSGI layer in front of an application: page cache, compression, bodies, concurrency
    adapters       the tracking service's client, storage, inspection, CV reading, email
    contract       the interface document as data
    platform       database, settings, logs, metrics, tracing, cryptography, sandbox, rate limits, clock, errors
"""
