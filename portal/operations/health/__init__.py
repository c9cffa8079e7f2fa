"""Whether the portal can accept and deliver applications, part by part; for /readyz, /metrics and `portal check`.

A part is a component that the portal depends on: database, tenant files, file storage, scanner, mail server, workers
and so on. Each is probed in the background; the result is a PartHealth. Start with portal_health.

    part               the health of one part: names, states, consequences
    background         probing in the background, so that a part that hangs delays callers only briefly
    probes             what is checked of each part
    portal_health      all parts
    readyz             /healthz and /readyz
    metrics            /metrics
    database_metrics   metrics read from the database
    process_metrics    metrics of this process and machine
"""
