"""A full-text index for SQLite that keeps the words of each tenant apart.

In vacancy_fts, which the previous release reads and the next one removes, tenants share their words: a prefix search
reads the postings of all tenants. In the new index each word has its tenant's prefix (token_scope in
jobs/search/matching.py). PostgreSQL needs no such index.
"""

from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Create the index, fill it, and add triggers that update it regardless of which release writes."""
    if op.get_bind().dialect.name != "sqlite":
        return
    # Stores neither a copy of the words nor the lengths of texts, because ranking uses neither.
    op.execute(
        "CREATE VIRTUAL TABLE vacancy_index USING fts5(words, title, content='', columnsize=0, tokenize='ascii',"
        " detail='column')"
    )
    op.execute(f"{_put('held')} JOIN vacancy_words AS held ON held.row = v.row")
    put, take = f"{_put('new')} WHERE v.row = new.row", _take()
    op.execute(f"CREATE TRIGGER vacancy_index_put AFTER INSERT ON vacancy_words BEGIN {put}; END")
    op.execute(f"CREATE TRIGGER vacancy_index_take AFTER DELETE ON vacancy_words BEGIN {take}; END")
    op.execute(f"CREATE TRIGGER vacancy_index_change AFTER UPDATE ON vacancy_words BEGIN {take}; {put}; END")


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
