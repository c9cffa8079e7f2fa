"""SQLite and PostgreSQL behind one interface: transactions, schema, time-outs and outages.

Packages define their tables on `db.metadata` and run SQLAlchemy Core statements in `Database.read` and
`Database.write`; an outage is raised as DatabaseUnavailable. Start with `db`.

db                read and write transactions
engines           connection pools and what is set on each connection
schema            which release can use which schema; upgrades (migrations/)
outages           tells outages from faults
diagnosis         explains an outage to operators
prepared          statements compiled once
"""
