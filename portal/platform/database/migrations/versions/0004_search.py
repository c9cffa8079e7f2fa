"""A full-text index in which a tenant's words stand by themselves, for SQLite.

In vacancy_fts, which the release before this one reads and which goes a release later, a word is everybody's: a
beginning of one is looked up among the postings of all tenants. Here each word begins with its tenant (token_scope in
jobs/search/matching.py). PostgreSQL needs nothing of it.
"""

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the index of what is there, and triggers that keep it, whichever release writes."""
    if op.get_bind().dialect.name != "sqlite":
        return
    # No copy of the words, and no lengths of texts: nothing is ranked by them.
    op.execute(
        "CREATE VIRTUAL TABLE vacancy_index USING fts5(words, title, content='', columnsize=0, tokenize='ascii',"
        " detail='column')"
    )
    op.execute(f"{_put('held')} JOIN vacancy_words AS held ON held.row = v.row")
    put, take = f"{_put('new')} WHERE v.row = new.row", _take()
    op.execute(f"CREATE TRIGGER vacancy_index_put AFTER INSERT ON vacancy_words BEGIN {put}; END")
    op.execute(f"CREATE TRIGGER vacancy_index_take AFTER DELETE ON vacancy_words BEGIN {take}; END")
    op.execute(f"CREATE TRIGGER vacancy_index_change AFTER UPDATE ON vacancy_words BEGIN {take}; {put}; END")


def downgrade() -> None:
    """There is no way back: the release before works beside it."""


def _put(of: str) -> str:
    words = f"{of}.row, {_scoped(of, 'words')}, {_scoped(of, 'title')}"
    return f"INSERT INTO vacancy_index(rowid, words, title) SELECT {words} FROM vacancies AS v"  # noqa: S608  ours


def _take() -> str:
    words = f"'delete', old.row, {_scoped('old', 'words')}, {_scoped('old', 'title')}"
    into = "INSERT INTO vacancy_index(vacancy_index, rowid, words, title)"
    return f"{into} SELECT {words} FROM vacancies AS v WHERE v.row = old.row"  # noqa: S608  ours


def _scoped(of: str, column: str) -> str:
    scope = "lower(hex(v.tenant)) || 'z'"
    return f"{scope} || replace({of}.{column}, ' ', ' ' || {scope})"
