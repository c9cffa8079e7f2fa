"""Whether the portal can accept and deliver applications, part by part; for /readyz, /metrics and `portal check`.

A part is a component that the portal depends on: database, tenant files, file storage, scanner, mail server, workers
and so on. Each is probed in the background; the result is a PartHealth. Start with portal_health.

    part               the health of one part: names, states, consequences; probing it in the background, so that a part
                       that hangs delays callers only briefly
    portal_health      all parts: what is checked of each, /healthz and /readyz
    metrics            /metrics, and those of this process and machine
    database_metrics   metrics read from the database
"""
