"""Notify workers on PostgreSQL of a row that becomes due, so that they need not poll.

Only rows that are due when they are committed cause a notification; workers query for later attempts themselves.
"""

from alembic import op

revision = "0015"
down_revision = "0014"

_FUNCTION = """
CREATE FUNCTION portal_tell_workers() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_notify('portal_outbox', '');
    RETURN NULL;
END $$
"""
_NEW = """
CREATE TRIGGER outbox_tell_of_new AFTER INSERT ON outbox
FOR EACH ROW WHEN (NEW.state IN ('due', 'held')) EXECUTE FUNCTION portal_tell_workers()
"""
_SOONER = """
CREATE TRIGGER outbox_tell_of_due AFTER UPDATE OF state, due_at ON outbox
FOR EACH ROW WHEN (
    (NEW.state = 'due' AND OLD.state <> 'due')
    OR (NEW.due_at < OLD.due_at AND NEW.state IN ('due', 'retry', 'ambiguous', 'held'))
) EXECUTE FUNCTION portal_tell_workers()
"""


def upgrade() -> None:
    """Add the trigger; nothing on SQLite, which counts its changes itself."""
    if op.get_bind().dialect.name == "sqlite":
        return
    for statement in (_FUNCTION, _NEW, _SOONER):
        op.execute(statement)
