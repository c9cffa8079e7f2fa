"""Writes vacancies, their publication under the tenant's rules, the words to find them by, and the counts.

Every public function is one step of a transaction that the caller commits, and leaves rows, publications, search index
and counts consistent. The caller holds the tenant's lease, so no other process changes them meanwhile.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from portal.jobs.mirror.ingest import PublicVacancy
from portal.jobs.mirror.search_index import index_words, posting_texts
from portal.jobs.search import counts
from portal.jobs.search.attributes import tenant_filters
from portal.jobs.tables import (
    Publication,
    mirrors,
    vacancies,
    vacancy_former_ids,
    vacancy_texts,
    vacancy_vocabulary,
    vacancy_words,
)
from portal.platform.database.db import insert
from portal.tenants.model import Tenant

_TYPES = ("employment_type", "location_type")


@dataclass(frozen=True, slots=True)
class VacancyChange:
    """A vacancy that is new or has changed. posting_id: by the tenant's rule, None if it is unusable.

    attributes: in the format of attributes.as_stored.
    """

    vacancy: PublicVacancy
    posting_id: str | None
    attributes: str = ""

    def columns(self, now: datetime) -> dict[str, object]:
        """Return its columns of `vacancies`, except those that depend on the publishing rule and on its history."""
        about = {"posting_id": self.posting_id, "fingerprint": self.vacancy.fingerprint, "modified_at": now}
        return {**self.vacancy.facts, "attributes": self.attributes, **about}


class MirrorWriter:
    """Writes for one tenant during one sync. `counted_at` is mirrors.counted_at."""

    def __init__(self, tenant: Tenant, counted_at: datetime) -> None:
        self._tenant = tenant
        self._counted_at = counted_at
        self._known_words: set[str] = set()

    def store(self, connection: sa.Connection, changes: Collection[VacancyChange], now: datetime) -> None:
        """Store each vacancy, and update other vacancies that claim the same posting ids."""
        rows = self._rows_of(connection, [change.vacancy.vacancy_id for change in changes])
        claimed = [change.posting_id for change in changes] + [row.posting_id for row in rows.values()]
        affected = {row.row for row in rows.values()} | self._claimants(connection, claimed)
        public_before = self._public(connection, affected)
        before = counts.contributions(connection, affected, self._counted_at)
        self._remember_what_was_open(connection, affected, now)
        self._remember_addresses(connection, changes)
        self._write(connection, changes, {key: row.row for key, row in rows.items()}, now)
        stored = {row.row for row in self._rows_of(connection, [c.vacancy.vacancy_id for c in changes]).values()}
        affected |= stored
        self._bring_back(connection, stored)
        self._apply_publication_rules(connection, affected, now)
        self._index(connection, affected, anew=stored)
        after = counts.contributions(connection, affected, self._counted_at)
        counts.replace_contribution(connection, self._tenant.slug, before, after)
        if public_before or self._public(connection, affected):
            self._count_version(connection)

    def withdraw(self, connection: sa.Connection, rows: Collection[int], now: datetime) -> None:
        """Withdraw vacancies that the service no longer has; keep only what the page of a closed job shows."""
        before = counts.contributions(connection, rows, self._counted_at)
        public_before = self._public(connection, rows)
        self._remember_what_was_open(connection, rows, now)
        chosen = vacancies.c.row.in_(list(rows))
        claimed = [row.posting_id for row in connection.execute(sa.select(vacancies.c.posting_id).where(chosen))]
        connection.execute(
            sa.update(vacancies)
            .where(chosen)
            .values(publication=Publication.GONE, fingerprint="", attributes="", modified_at=now)
        )
        others = self._claimants(connection, claimed) - set(rows)
        before += counts.contributions(connection, others, self._counted_at)
        self._apply_publication_rules(connection, others, now)
        affected = set(rows) | others
        self._index(connection, affected, anew=())
        connection.execute(
            sa.update(vacancy_texts)
            .where(vacancy_texts.c.row.in_(list(rows)))
            .values(description="", plain="", salary_currency=None, salary_low=None, salary_high=None, client=None)
        )
        counts.replace_contribution(
            connection, self._tenant.slug, before, counts.contributions(connection, affected, self._counted_at)
        )
        if public_before or others:
            self._count_version(connection)

    def reapply_publication_rules(self, connection: sa.Connection, rows: Collection[int], now: datetime) -> None:
        """Apply a changed publishing rule of the tenant to rows that are stored already."""
        before = counts.contributions(connection, rows, self._counted_at)
        self._remember_what_was_open(connection, rows, now)
        if self._apply_publication_rules(connection, rows, now):
            self._index(connection, rows, anew=())
            after = counts.contributions(connection, rows, self._counted_at)
            counts.replace_contribution(connection, self._tenant.slug, before, after)
            self._count_version(connection)

    def recount(self, connection: sa.Connection) -> None:
        """Recompute totals from the rows: see counts.recount()."""
        counts.recount(connection, self._tenant.slug, self._counted_at, tenant_filters(self._tenant.publish))

    def _rows_of(self, connection: sa.Connection, vacancy_ids: list[str]) -> dict[str, sa.Row[*tuple[Any, ...]]]:
        query = sa.select(vacancies.c.row, vacancies.c.vacancy_id, vacancies.c.posting_id).where(
            vacancies.c.tenant == self._tenant.slug, vacancies.c.vacancy_id.in_(vacancy_ids)
        )
        return {row.vacancy_id: row for row in connection.execute(query)}

    def _claimants(self, connection: sa.Connection, posting_ids: Iterable[str | None]) -> set[int]:
        query = sa.select(vacancies.c.row).where(
            vacancies.c.tenant == self._tenant.slug,
            vacancies.c.posting_id.in_({posting_id for posting_id in posting_ids if posting_id}),
            vacancies.c.publication != Publication.GONE,
        )
        return set(connection.scalars(query))

    def _public(self, connection: sa.Connection, rows: Collection[int]) -> int:
        chosen = (vacancies.c.row.in_(list(rows)), vacancies.c.publication == Publication.PUBLIC)
        return connection.scalar(sa.select(sa.func.count()).where(*chosen)) or 0

    def _remember_what_was_open(self, connection: sa.Connection, rows: Collection[int], now: datetime) -> None:
        """Mark rows that were visible until now, so that their page says "closed" even if dates or stage change."""
        connection.execute(
            sa.update(vacancies)
            .where(
                vacancies.c.row.in_(list(rows)),
                vacancies.c.publication == Publication.PUBLIC,
                vacancies.c.opens_at <= now,
                vacancies.c.opens_at < vacancies.c.closes_at,
                vacancies.c.was_open.is_(False),
            )
            .values(was_open=True)
        )

    def _remember_addresses(self, connection: sa.Connection, changes: Collection[VacancyChange]) -> None:
        """Remember posting ids that were public and change now, so that their old URLs still show a closed job."""
        following = {change.vacancy.vacancy_id: change.posting_id for change in changes}
        c = vacancies.c
        query = sa.select(c.row, c.vacancy_id, c.posting_id).where(
            c.tenant == self._tenant.slug, c.vacancy_id.in_(following), c.was_open, c.posting_id.is_not(None)
        )
        moved = [row for row in connection.execute(query) if row.posting_id != following[row.vacancy_id]]
        if not moved:
            return
        added = insert(connection, vacancy_former_ids)
        latest = added.on_conflict_do_update(index_elements=["tenant", "posting_id"], set_={"row": added.excluded.row})
        facts = [{"tenant": self._tenant.slug, "posting_id": row.posting_id, "row": row.row} for row in moved]
        connection.execute(latest, facts)
        # The new URL has not been public yet.
        chosen = c.row.in_([row.row for row in moved])
        connection.execute(sa.update(vacancies).where(chosen).values(was_open=False))

    def _write(
        self, connection: sa.Connection, changes: Collection[VacancyChange], rows: dict[str, int], now: datetime
    ) -> None:
        fresh = [c for c in changes if c.vacancy.vacancy_id not in rows]
        if fresh:
            start = {"tenant": self._tenant.slug, "publication": Publication.STAGE, "was_open": False}
            connection.execute(
                sa.insert(vacancies),
                [{**start, "vacancy_id": c.vacancy.vacancy_id, **c.columns(now)} for c in fresh],
            )
            stored = self._rows_of(connection, [c.vacancy.vacancy_id for c in fresh])
            connection.execute(
                sa.insert(vacancy_texts),
                [{"row": stored[c.vacancy.vacancy_id].row, **c.vacancy.texts} for c in fresh],
            )
        for change in changes:
            if row := rows.get(change.vacancy.vacancy_id):
                connection.execute(sa.update(vacancies).where(vacancies.c.row == row).values(change.columns(now)))
                texts = change.vacancy.texts
                connection.execute(sa.update(vacancy_texts).where(vacancy_texts.c.row == row).values(texts))

    def _bring_back(self, connection: sa.Connection, rows: Collection[int]) -> None:
        """Make withdrawn vacancies that the service lists again claim their posting ids again."""
        gone = (vacancies.c.row.in_(list(rows)), vacancies.c.publication == Publication.GONE)
        connection.execute(sa.update(vacancies).where(*gone).values(publication=Publication.STAGE))

    def _apply_publication_rules(self, connection: sa.Connection, rows: Collection[int], now: datetime) -> int:
        """Set each row's publication by the tenant's rule; return how many changed."""
        c = vacancies.c
        query = sa.select(c.row, c.publication, c.stage, c.posting_id).where(c.row.in_(list(rows)))
        found = connection.execute(query).all()
        claims = self._claims(connection, {row.posting_id for row in found if row.posting_id})
        moved: dict[Publication, list[int]] = {}
        for row in found:
            publication = self._publication(row.stage, row.posting_id, claims)
            if publication != row.publication:
                moved.setdefault(publication, []).append(row.row)
        for publication, which in moved.items():
            connection.execute(
                sa.update(vacancies).where(c.row.in_(which)).values(publication=publication, modified_at=now)
            )
        return sum(map(len, moved.values()))

    def _publication(self, stage: str, posting_id: str | None, claims: dict[str, int]) -> Publication:
        if stage not in self._tenant.publish.stages:
            return Publication.STAGE
        if posting_id is None:
            return Publication.UNUSABLE
        return Publication.PUBLIC if claims.get(posting_id, 0) <= 1 else Publication.CLASH

    def _claims(self, connection: sa.Connection, posting_ids: Collection[str]) -> dict[str, int]:
        query = (
            sa.select(vacancies.c.posting_id, sa.func.count())
            .where(
                vacancies.c.tenant == self._tenant.slug,
                vacancies.c.posting_id.in_(posting_ids),
                vacancies.c.publication != Publication.GONE,
                vacancies.c.stage.in_(self._tenant.publish.stages),
            )
            .group_by(vacancies.c.posting_id)
        )
        return {row[0]: row[1] for row in connection.execute(query)}

    def _index(self, connection: sa.Connection, rows: Collection[int], *, anew: Collection[int]) -> None:
        """Index the words of the public ones of these rows; remove those of the rest. anew: rows whose text changed."""
        c = vacancies.c
        is_public = c.publication == Publication.PUBLIC
        public = sa.select(vacancies.c.row).where(vacancies.c.row.in_(list(rows)), is_public)
        held = vacancy_words.c.row
        stale = sa.or_(held.in_(list(anew)), held.not_in(public))
        connection.execute(sa.delete(vacancy_words).where(held.in_(list(rows)), stale))
        query = (
            sa.select(*(c[name] for name in ("row", "city", "country", "area", "attributes", *_TYPES)), vacancy_texts)
            .join(vacancy_texts, vacancy_texts.c.row == vacancies.c.row)
            .where(vacancies.c.row.in_(list(rows)), is_public, ~sa.exists().where(held == vacancies.c.row))
        )
        made, vocabulary = [], set[str]()
        for row in connection.execute(query):
            found = index_words(posting_texts(row))
            words = {scope_word(self._tenant.slug), *found.words}
            made.append({"row": row.row, "words": " ".join(sorted(words)), "title": " ".join(sorted(found.title))})
            vocabulary |= found.plain
        if made:
            connection.execute(sa.insert(vacancy_words), made)
            self._learn(connection, vocabulary)

    def _learn(self, connection: sa.Connection, words: set[str]) -> None:
        fresh = sorted(word for word in words - self._known_words if len(word) > 2 and not word.isdigit())
        if not fresh:
            return
        unless_known = insert(connection, vacancy_vocabulary).on_conflict_do_nothing()
        connection.execute(unless_known, [{"tenant": self._tenant.slug, "word": word} for word in fresh])
        if len(self._known_words) < 200_000:
            self._known_words.update(fresh)

    def _count_version(self, connection: sa.Connection) -> None:
        mine = mirrors.c.tenant == self._tenant.slug
        connection.execute(sa.update(mirrors).where(mine).values(version=mirrors.c.version + 1))


def scope_word(tenant: str) -> str:
    """Return the word that all postings of a tenant have, by which the index finds one tenant's postings quickly."""
    return "0" + tenant.encode().hex()
