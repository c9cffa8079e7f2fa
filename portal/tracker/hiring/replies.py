"""Replies to applicants: texts by company and language, sent through the outbox, with the colleague as Reply-To.

A reply to several people at once is due an hour later, and can be undone until then. A rejection moves the applicant to
the stage for rejections only after the mail server has accepted the email: applicants see their stage in the portal,
and must not learn of the rejection there first. So an undo has no stage to restore.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
from flask_babel import force_locale, gettext

from portal.background.mails import queue as mail_queue
from portal.background.mails.deliver import MailHandler
from portal.background.outbox import queue
from portal.background.outbox.claim import Claim
from portal.background.outbox.states import RESTORED, OutboxState, Result
from portal.background.outbox.tables import outbox
from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import Database
from portal.site.forms.fields.text import displayable
from portal.tracker import upsert
from portal.tracker.hiring import application_changes
from portal.tracker.hiring.application_list import (
    PERSON_COLUMNS,
    arrival_order_without_index,
    entries,
    full_name,
    job_title,
    person_of,
    select_applications,
    title_of,
)
from portal.tracker.hiring.colleagues import Activity, lock_company
from portal.tracker.hiring.guard import HiringVisit
from portal.tracker.hiring.tables import colleagues, replies, reply_templates
from portal.tracker.tables import applications

UNDO_WITHIN = timedelta(hours=1)
MOST = 200
"""Maximum number of applicants of one reply."""
SUBJECT_LONGEST, BODY_LONGEST = 200, 10_000
_r = replies.c


class ReplyKind(StrEnum):
    """The purpose of a reply."""

    RECEIVED = "received"
    INVITATION = "invitation"
    REJECTION = "rejection"


@dataclass(frozen=True, slots=True)
class Applicant:
    """The recipient of a reply. email: None if the record has none. vacancy_id: None if the application has no job."""

    application_id: str
    vacancy_id: str | None
    email: str | None
    first_name: str
    name: str
    job: str


@dataclass(frozen=True, slots=True)
class ReplyText:
    """Subject and body of a reply, with or without {first_name}, {name}, {job}, {company} and {colleague}."""

    subject: str
    body: str

    @property
    def version(self) -> str:
        """A hash of this text."""
        return hashlib.sha256(f"{self.subject}\n{self.body}".encode()).hexdigest()[:16]

    def filled(self, to: Applicant, company: str, colleague: str) -> "ReplyText":
        """Return the text with the placeholders replaced; other text in braces stays.

        Braces in values are replaced, so a name is never a placeholder, even if the text is filled again.
        """
        values = {"first_name": to.first_name or to.name, "name": to.name, "job": to.job}
        values |= {"company": company, "colleague": colleague}
        subject, body = self.subject, self.body
        for name, raw in values.items():
            value = raw.replace("{", "(").replace("}", ")")
            subject, body = subject.replace(f"{{{name}}}", value), body.replace(f"{{{name}}}", value)
        return ReplyText(" ".join(subject.split())[:SUBJECT_LONGEST], body)


def words(db: Database, tenant_id: int, kind: ReplyKind, locale: str) -> ReplyText:
    """Return the company's text in a language, or this release's default."""
    with db.read() as connection:
        return _words(connection, tenant_id, kind, locale)


def save_words(
    db: Database, visit: HiringVisit, kind: ReplyKind, locale: str, text: ReplyText, *, seen: str, now: datetime
) -> ReplyText | None:
    """Store the company's text if the stored one has version `seen`; else return the one that a colleague stored."""
    row = {"tenant_id": visit.tenant.id, "kind": kind.value, "locale": locale}
    with db.write() as connection:
        lock_company(connection, visit.tenant.id)
        stored = _words(connection, visit.tenant.id, kind, locale)
        if stored.version != seen:
            return stored
        upsert.put(connection, reply_templates, [row | asdict(text)])
        visit.log(connection, Activity.REPLY_WORDS, f"{kind} {locale}", now)
    return None


def applicants(db: Database, tenant_id: int, ids: Sequence[str]) -> list[Applicant]:
    """Return the applicants of these applications of the company, at most MOST, in their order of arrival."""
    a = applications.c
    with db.read() as connection:
        query = select_applications(connection, tenant_id, a.id, a.vacancy_id, *PERSON_COLUMNS, job_title(connection))
        rows = connection.execute(query.where(a.id.in_(ids[:MOST])).order_by(arrival_order_without_index)).all()
    return [
        Applicant(row.id, row.vacancy_id, _address(row), displayable(row.first or ""), full_name(row), title_of(row))
        for row in rows
    ]


def send(
    db: Database,
    seal: Seal,
    visit: HiringVisit,
    text: ReplyText,
    kind: ReplyKind,
    to: Sequence[Applicant],
    *,
    locale: str,
    form: str,
    now: datetime,
) -> None:
    """Queue a reply to each applicant with an address; to one applicant it is due at once, and cannot be undone.

    form: id of the form; a form posted several times sends its replies once.
    """
    by, due_at = visit.colleague.email, now + UNDO_WITHIN if len(to) > 1 else now
    with db.write() as connection:
        lock_company(connection, visit.tenant.id)
        if connection.execute(sa.select(_r.letter).filter_by(tenant_id=visit.tenant.id, batch=form).limit(1)).first():
            return
        still_here = sa.select(colleagues.c.email).filter_by(tenant_id=visit.tenant.id, email=by)
        if connection.execute(still_here).first() is None:
            return
        for one in to:
            if one.email is None or not application_changes.lock(connection, visit.tenant.id, one.application_id):
                continue
            filled = text.filled(one, visit.tenant.name, by)
            letter = mail_queue.send(
                connection,
                seal,
                tenant=visit.tenant.slug,
                template="reply",
                locale=locale,
                recipient=one.email,
                facts={"subject": filled.subject, "body": filled.body.split("\n"), "reply_to": by},
                now=now,
                due_at=due_at,
            )
            row = {"letter": letter, "tenant_id": visit.tenant.id, "application_id": one.application_id}
            row |= {"batch": form, "by": by, "at": now, "due_at": due_at, "kind": kind.value}
            connection.execute(replies.insert().values(row | {"subject": filled.subject, "body": filled.body}))
            visit.log(connection, Activity.REPLIED, one.application_id, now)


def rejected_before(db: Database, tenant_id: int, to: Sequence[Applicant], form: str) -> int:
    """Count the applicants for whom another form than this has sent or queued a rejection."""
    is_written = sa.or_(_r.outcome.is_(None), _r.outcome.not_in([OutboxState.DEAD, OutboxState.DISCARDED]))
    which = (_r.tenant_id == tenant_id, _r.application_id.in_([one.application_id for one in to]))
    sent = (_r.kind == ReplyKind.REJECTION.value, _r.undone_at.is_(None), is_written, _r.batch.is_distinct_from(form))
    with db.read() as connection:
        return connection.scalar(sa.select(sa.func.count(_r.application_id.distinct())).where(*which, *sent)) or 0


def undo(db: Database, visit: HiringVisit, batch: str, now: datetime) -> str:
    """Withdraw the replies of a batch if they are not due yet; return the result.

    "undone"; "late" if they have been sent; "erased" if none of the applicants exists any more.
    """
    theirs = (_r.tenant_id == visit.tenant.id, _r.batch == batch, _r.undone_at.is_(None), _r.due_at > now)
    with db.write() as connection:
        undone = connection.scalars(replies.update().where(*theirs).values(undone_at=now).returning(_r.letter)).all()
        if undone:
            mail_queue.withdraw(connection, ids=undone, now=now)
            visit.log(connection, Activity.REPLY_UNDONE, None, now)
        query = sa.select(_r.undone_at.is_not(None)).where(_r.tenant_id == visit.tenant.id, _r.batch == batch)
        is_undone = connection.scalars(query.limit(1)).one_or_none()
    return "erased" if is_undone is None else "undone" if is_undone else "late"


def waiting(db: Database, tenant_id: int, vacancy_id: str, now: datetime) -> Sequence[sa.Row[Any]]:
    """Return what can still be undone of the replies to a job's applicants: rows of batch, kind, due_at, number."""
    a = applications.c
    is_its = sa.exists().where(a.tenant_id == tenant_id, a.id == _r.application_id, a.vacancy_id == vacancy_id)
    open_ = (_r.tenant_id == tenant_id, _r.due_at > now, _r.undone_at.is_(None), _r.outcome.is_(None), is_its)
    query = sa.select(_r.batch, _r.kind, _r.due_at, sa.func.count().label("number")).where(*open_)
    with db.read() as connection:
        return connection.execute(query.group_by(_r.batch, _r.kind, _r.due_at).order_by(_r.due_at)).all()


def of_application(db: Database, tenant_id: int, application_id: str) -> Sequence[sa.Row[Any]]:
    """Return the replies to an application that were not undone, the newest first.

    Rows of kind, subject, body, by, due_at, outcome, and the batch, by which it can be undone before due_at, if it can.
    """
    query: sa.Select[Any] = sa.select(_r.kind, _r.subject, _r.body, _r.by, _r.due_at, _r.batch, _r.outcome)
    theirs = (_r.tenant_id == tenant_id, _r.application_id == application_id, _r.undone_at.is_(None))
    with db.read() as connection:
        return connection.execute(query.where(*theirs).order_by(_r.at.desc()).limit(100)).all()


def discard_after_restore(db: Database, now: datetime) -> int:
    """Discard the queued emails in a database that was restored to an earlier state; return how many there are.

    They may have been sent or undone since; the replies among them are marked as discarded. Raises DatabaseUnavailable.
    """
    done = queue.after_restore(db, now, deliveries=(), mails=mail_queue.KIND)
    o = outbox.c
    theirs = (o.kind == mail_queue.KIND, o.state == OutboxState.DISCARDED, o.outcome == RESTORED)
    unsent = (_r.letter.in_(sa.select(o.subject).where(*theirs)), _r.undone_at.is_(None))
    with db.write() as connection:
        connection.execute(replies.update().where(*unsent).values(outcome=OutboxState.DISCARDED.value))
    return done.not_sent


class ReplyHandler(MailHandler):
    """The outbox handler of the hiring pages' emails; after sending a rejection it changes the applicant's stage."""

    def deliver(self, claimed: Claim) -> Result:
        """Make one attempt; raises as MailHandler does. An interrupted one is repeated, with its change of stage."""
        result = super().deliver(claimed)
        if result is Result.DELIVERED:
            query = sa.select(_r.tenant_id, _r.application_id, _r.by).where(_r.letter == claimed.subject)
            with self._db.read() as connection:
                sent = connection.execute(query.where(_r.kind == ReplyKind.REJECTION.value)).one_or_none()
            if sent:
                application_changes.reject(self._db, self._clock, sent.tenant_id, sent.application_id, by=sent.by)
        return result

    def settled(
        self, connection: sa.Connection, subjects: Sequence[str], state: OutboxState, outcome: str | None
    ) -> None:
        """As MailHandler; also store with the reply whether it was sent, because the outbox keeps that for less
        time."""
        super().settled(connection, subjects, state, outcome)
        connection.execute(replies.update().where(_r.letter.in_(subjects)).values(outcome=state.value))


def _words(connection: sa.Connection, tenant_id: int, kind: ReplyKind, locale: str) -> ReplyText:
    c = reply_templates.c
    query = sa.select(c.subject, c.body).where(c.tenant_id == tenant_id, c.kind == kind.value, c.locale == locale)
    row = connection.execute(query).one_or_none()
    return ReplyText(*row) if row else _defaults(kind, locale)


def _address(row: sa.Row[Any]) -> str | None:
    """Return the applicant's main address, None without one."""
    found = [one for one in entries(person_of(row), "emails") if isinstance(one.get("email"), str) and one["email"]]
    return str(min(found, key=lambda one: not one.get("isPrimary"))["email"]) if found else None


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
