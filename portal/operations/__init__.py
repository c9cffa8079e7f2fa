"""For operators: the console's pages, manual actions with their audit log, readiness and metrics.

It reads the state of all services and shows it, without any personal data, as pages, JSON or Prometheus metrics. Start
with console.app; health.portal_health gathers the state of all parts.

    console        the operators' pages, an application on a port of its own
    backup         backups of everything, and their restore
    database_copy  a database copied from SQLite to PostgreSQL while it is in use
    rekey          data that former secret keys encrypted or hashed, stored anew with the current key
    actions        manual actions, for the console and the commands
    health         /healthz, /readyz, /metrics, and the probes behind them
"""
