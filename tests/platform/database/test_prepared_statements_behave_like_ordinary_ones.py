"""Prepared statements have the same results, errors and rollbacks as ordinary ones."""

from datetime import UTC, datetime

import pytest
import sqlalchemy as sa

from portal.background.outbox.states import OutboxState
from portal.background.outbox.tables import outbox
from portal.platform.database.db import Database
from portal.platform.database.prepared import PreparedStatement, autocommit_reads, together
from portal.platform.errors import DatabaseUnavailable

NOW = datetime(2026, 3, 1, 9, 30, 0, 123_456, tzinfo=UTC)
INSERT = PreparedStatement(outbox.insert().inline())
FOUND = PreparedStatement(
    sa.select(outbox).where(outbox.c.subject == sa.bindparam("subject"), outbox.c.kind == "letter")
)
DUE = PreparedStatement(sa.update(outbox).where(outbox.c.due_at <= sa.bindparam("now")).values(maybe_arrived=True))
BROKEN = PreparedStatement(sa.select(sa.column("no_such_column")).select_from(outbox))


def row(subject: str, **more: object) -> dict[str, object]:
    known = {"kind": "letter", "subject": subject, "tenant": "acme", "lane": "mail", "state": OutboxState.DUE}
    return {**known, "due_at": NOW, "created_at": NOW, **more}


def subjects(database: Database) -> list[str]:
    with database.read() as connection:
        return list(connection.execute(sa.select(outbox.c.subject).order_by(outbox.c.subject)).scalars())


def test_prepared_statements_read_and_write_as_sqlalchemy_does(database: Database):
    with database.write() as connection:
        assert INSERT.run(connection, row("one", order_key="é\u2028")) == 1
        assert INSERT.run(connection, row("two")) == 1
        assert DUE.run(connection, {"now": NOW}) == 2
        connection.execute(outbox.insert(), row("three"))
        usual = connection.execute(sa.select(outbox).where(outbox.c.subject == "one")).one()
        assert tuple(FOUND.first(connection, {"subject": "one"})) == tuple(usual)
        assert FOUND.first(connection, {"subject": "three"}).maybe_arrived is False
        assert FOUND.first(connection, {"subject": "none"}) is None
    with autocommit_reads(database) as lone:
        found = FOUND.first(lone, {"subject": "one"})
    assert (found.due_at, found.maybe_arrived, found.order_key) == (NOW, True, "é\u2028")


def test_statements_of_a_transaction_are_committed_together_or_not_at_all(database: Database):
    with database.write() as connection:
        together(connection, [(INSERT, row("one")), (INSERT, row("two"))])
    assert subjects(database) == ["one", "two"]
    with pytest.raises(Exception, match=r"(?i)unique") as caught, database.write() as connection:
        together(connection, [(INSERT, row("three")), (INSERT, row("one")), (INSERT, row("four"))])
    assert not isinstance(caught.value, DatabaseUnavailable)
    assert subjects(database) == ["one", "two"]


def test_a_wrong_statement_is_not_reported_as_an_outage(database: Database):
    with pytest.raises(Exception, match="no_such_column") as caught, database.read() as connection:
        BROKEN.all(connection, {})
    assert not isinstance(caught.value, DatabaseUnavailable)
    assert subjects(database) == []


def test_an_outage_is_reported_and_the_next_statement_succeeds(database: Database):
    with pytest.raises(DatabaseUnavailable):
        _write_while_it_goes_away(database)
    if database.is_sqlite:
        with database.read() as connection:
            connection.execute(sa.text("PRAGMA query_only=OFF"))
    with database.write() as connection:
        INSERT.run(connection, row("four"))
    assert subjects(database) == ["four"]


def _write_while_it_goes_away(database: Database) -> None:
    with database.write() as connection:
        INSERT.run(connection, row("one"))
        _go_away(database, connection)
        together(connection, [(INSERT, row("two")), (INSERT, row("three"))])


def _go_away(database: Database, connection: sa.Connection) -> None:
    if database.is_sqlite:
        connection.execute(sa.text("PRAGMA query_only=ON"))
        return
    pid = connection.execute(sa.select(sa.func.pg_backend_pid())).scalar_one()
    with database.write() as other:
        other.execute(sa.select(sa.func.pg_terminate_backend(pid)))
