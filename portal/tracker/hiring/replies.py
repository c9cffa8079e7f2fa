"""Answers to applicants: words by company and language, sent through the outbox, with Reply-To the colleague.

What is sent to several people at once is due an hour later, and can be undone until then.
"""

import json
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from flask_babel import force_locale, gettext

from portal.background.mails import queue as mail_queue
from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import Database, insert
from portal.tracker.hiring import activity_log
from portal.tracker.hiring.activity_log import Activity
from portal.tracker.hiring.colleagues import HiringTenant
from portal.tracker.hiring.notifications import name_of, title_of
from portal.tracker.hiring.tables import replies, reply_templates
from portal.tracker.tables import applications, candidates, vacancies

UNDO_WITHIN = timedelta(hours=1)
MOST = 200
"""Applicants of one reply."""
SUBJECT_LONGEST, BODY_LONGEST = 200, 10_000
_r = replies.c


class ReplyKind(StrEnum):
    """What a reply is for."""

    RECEIVED = "received"
    INVITATION = "invitation"
    REJECTION = "rejection"


@dataclass(frozen=True, slots=True)
class ReplyText:
    """Subject and body of a reply, with or without {first_name}, {name}, {job}, {company} and {colleague}."""

    subject: str
    body: str

    def filled(self, to: "Applicant", company: str, colleague: str) -> "ReplyText":
        """Return the text with the placeholders replaced; whatever else is in braces stays."""
        values = {"first_name": to.first_name or to.name, "name": to.name, "job": to.job}
        values |= {"company": company, "colleague": colleague}
        subject, body = self.subject, self.body
        for name, value in values.items():
            subject, body = subject.replace(f"{{{name}}}", value), body.replace(f"{{{name}}}", value)
        return ReplyText(" ".join(subject.split())[:SUBJECT_LONGEST], body)


@dataclass(frozen=True, slots=True)
class Applicant:
    """To whom a reply goes. email: None if the record has none."""

    application_id: str
    email: str | None
    first_name: str
    name: str
    job: str


@dataclass(frozen=True, slots=True)
class SentReply:
    """One reply to an application. due_at: when it is sent; undone_at: None unless it was undone."""

    kind: str
    subject: str
    body: str
    by: str
    at: datetime
    due_at: datetime
    batch: str | None
    undone_at: datetime | None


def words(db: Database, tenant_id: int, kind: ReplyKind, locale: str) -> ReplyText:
    """Return the company's words in a language, or this release's."""
    c = reply_templates.c
    query = sa.select(c.subject, c.body).where(c.tenant_id == tenant_id, c.kind == kind.value, c.locale == locale)
    with db.read() as connection:
        row = connection.execute(query).one_or_none()
    return ReplyText(*row) if row else _defaults(kind, locale)


def save_words(
    db: Database, to: HiringTenant, kind: ReplyKind, locale: str, text: ReplyText, *, by: str, now: datetime
) -> None:
    """Store the company's words in a language."""
    row = {"tenant_id": to.id, "kind": kind.value, "locale": locale, "subject": text.subject, "body": text.body}
    with db.write() as connection:
        storing = insert(connection, reply_templates).values(row)
        keys = ["tenant_id", "kind", "locale"]
        news = {name: row[name] for name in ("subject", "body")}
        connection.execute(storing.on_conflict_do_update(index_elements=keys, set_=news))
        activity_log.write(connection, to.id, by=by, what=Activity.REPLY_WORDS, about=f"{kind} {locale}", now=now)


def applicants(db: Database, tenant_id: int, ids: Sequence[str]) -> list[Applicant]:
    """Return the applicants of these applications of the company, at most MOST, in their order of arrival."""
    a = applications.c
    query: sa.Select[Any] = (
        sa.select(a.id, candidates.c.record.label("candidate"), vacancies.c.record.label("vacancy"))
        .outerjoin(candidates, sa.and_(candidates.c.tenant_id == a.tenant_id, candidates.c.id == a.candidate_id))
        .outerjoin(vacancies, sa.and_(vacancies.c.tenant_id == a.tenant_id, vacancies.c.id == a.vacancy_id))
        .where(a.tenant_id == tenant_id, a.id.in_(ids[:MOST]))
        .order_by(a.turn)
    )
    with db.read() as connection:
        return [_applicant(row) for row in connection.execute(query)]


def send(
    db: Database,
    seal: Seal,
    company: HiringTenant,
    text: ReplyText,
    kind: ReplyKind,
    to: Sequence[Applicant],
    *,
    locale: str,
    by: str,
    now: datetime,
) -> str | None:
    """Queue a reply to each applicant with an address; return the batch's id, by which it can be undone.

    To one applicant it is sent at once, and None is returned.
    """
    batch = secrets.token_hex(16) if len(to) > 1 else None
    due_at = now + UNDO_WITHIN if batch else now
    with db.write() as connection:
        for one in to:
            if one.email is None:
                continue
            said = text.filled(one, company.name, by)
            letter = mail_queue.send(
                connection,
                seal,
                tenant=company.slug,
                template="reply",
                locale=locale,
                recipient=one.email,
                facts={"subject": said.subject, "body": said.body.split("\n"), "reply_to": by},
                now=now,
                about=batch,
                due_at=due_at,
            )
            row = {"letter": letter, "tenant_id": company.id, "application_id": one.application_id, "batch": batch}
            row |= {"by": by, "at": now, "due_at": due_at, "kind": kind.value}
            connection.execute(replies.insert().values(row | {"subject": said.subject, "body": said.body}))
            activity_log.write(connection, company.id, by=by, what=Activity.REPLIED, about=one.application_id, now=now)
    return batch


def undo(db: Database, company: HiringTenant, batch: str, *, by: str, now: datetime) -> int:
    """Withdraw what was sent together, if it is not due yet; return how many replies."""
    theirs = (_r.tenant_id == company.id, _r.batch == batch, _r.undone_at.is_(None), _r.due_at > now)
    with db.write() as connection:
        undone = connection.execute(replies.update().where(*theirs).values(undone_at=now)).rowcount
        if undone:
            mail_queue.withdraw(connection, about=[batch], now=now)
            activity_log.write(connection, company.id, by=by, what=Activity.REPLY_UNDONE, about=None, now=now)
    return undone


def of_application(db: Database, tenant_id: int, application_id: str) -> list[SentReply]:
    """Return the replies to an application, the newest first."""
    columns = (_r.kind, _r.subject, _r.body, _r.by, _r.at, _r.due_at, _r.batch, _r.undone_at)
    query = sa.select(*columns).where(_r.tenant_id == tenant_id, _r.application_id == application_id)
    with db.read() as connection:
        return [SentReply(*row) for row in connection.execute(query.order_by(_r.at.desc()).limit(100))]


def _applicant(row: sa.Row[Any]) -> Applicant:
    record = json.loads(row.candidate) if row.candidate else {}
    entries = [one for one in (record.get("emails") or {}).get("emails") or [] if one and one.get("email")]
    entries.sort(key=lambda one: not one.get("isPrimary"))
    first = str((record.get("name") or {}).get("firstName") or "")
    email = str(entries[0]["email"]) if entries else None
    return Applicant(row.id, email, first, name_of(row.candidate), title_of(row.vacancy))


def _defaults(kind: ReplyKind, locale: str) -> ReplyText:
    with force_locale(locale):
        found = {
            ReplyKind.RECEIVED: (
                gettext("Your application: {job}"),
                gettext(
                    "Hello {first_name},\n\nThank you for applying for {job}. We have your application and will read "
                    "it soon.\n\nKind regards\n{company}"
                ),
            ),
            ReplyKind.INVITATION: (
                gettext("Invitation to an interview: {job}"),
                gettext(
                    "Hello {first_name},\n\nThank you for applying for {job}. We would like to meet you. When would "
                    "it suit you?\n\nKind regards\n{company}"
                ),
            ),
            ReplyKind.REJECTION: (
                gettext("Your application: {job}"),
                gettext(
                    "Hello {first_name},\n\nThank you for applying for {job}. We have decided to continue with other "
                    "applicants. We wish you success in finding the right job.\n\nKind regards\n{company}"
                ),
            ),
        }[kind]
    return ReplyText(*map(str, found))
