"""The outbox's handler of code requests. The code exists in clear only in this function and in the mailbox."""

import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

import sqlalchemy as sa

from portal.background.mails.deliver import MailComposer
from portal.background.outbox import health
from portal.background.outbox.claim import Claim
from portal.background.outbox.states import OutboxState, Result
from portal.people.signin import codes
from portal.people.signin.codes import Purpose
from portal.people.signin.tables import code_requests
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal
from portal.platform.database.db import Database

_RUN = re.compile(r"(?<!\d)\d{8}(?!\d)")
"""Runs of digits of any script, because mail software may take any of them for a code."""
_LINK = re.compile(r"(?P<origin>(?<![a-z])[a-z]+://[^/\s]*)(?P<path>\S*)")


def without_other_codes(text: str, code: str | None) -> str:
    """Return the text with no run of eight digits except the code, which is on a line of its own.

    Other runs, as in a company's name, are split visibly: "1234 5678". In the path of a link one digit is written as
    %3X, which leads to the same place (RFC 3986 §6.2.2.2). A host cannot be written differently: it stays as it is if
    the text contains no code that it could be mistaken for.
    """
    lines = text.splitlines(keepends=True)
    return "".join(line if line.strip() == code else _without_runs(line, keep_hosts=code is None) for line in lines)


def _without_runs(line: str, *, keep_hosts: bool) -> str:
    pieces, end = [], 0
    for link in _LINK.finditer(line):
        origin = link["origin"] if keep_hosts else _spaced(link["origin"])
        pieces += [_spaced(line[end : link.start()]), origin, _RUN.sub(_escaped, link["path"])]
        end = link.end()
    return "".join([*pieces, _spaced(line[end:])])


def _escaped(run: re.Match[str]) -> str:
    return f"{run[0][:4]}%{ord(run[0][4]):X}{run[0][5:]}" if run[0].isascii() else _halves(run)


def _halves(run: re.Match[str]) -> str:
    return f"{run[0][:4]} {run[0][4:]}"


_spaced = partial(_RUN.sub, _halves)


def alone_in_subject(subject: str, code: str) -> str:
    """Return the subject with no run of eight digits except the code: phones offer to fill it in."""
    return _RUN.sub(lambda run: run[0] if run[0] == code else _halves(run), subject)


_TEMPLATES = {Purpose.SIGN_IN: "code", Purpose.ADDRESS: "address_code", Purpose.CONFIRM: "confirm_code"}


class CodeHandler:
    """The outbox handler that emails codes.

    is_known_address: (tenant, address) → whether a person with that address may sign in there. unknown: the template of
    the email to other addresses.
    """

    def __init__(
        self,
        db: Database,
        seal: Seal,
        composer: MailComposer,
        clock: Clock,
        *,
        is_known_address: Callable[[str, str], bool],
        ttl: float,
        unknown: str = "no_record",
    ) -> None:
        self._db = db
        self._seal = seal
        self._composer = composer
        self._clock = clock
        self._is_known_address = is_known_address
        self._ttl = ttl
        self._unknown = unknown

    def deliver(self, claimed: Claim) -> Result:
        """Send one email; raises MailError, and the error of `is_known_address` if that cannot answer yet.

        An expired request gets none; a retry generates a new code.
        """
        query = sa.select(code_requests).where(code_requests.c.id == int(claimed.subject))
        row = self._db.row(query)
        if row is None or row.used_at is not None or row.expires_at <= self._clock.now():
            return Result.OVERTAKEN
        email, purpose, code = self._seal.open(row.sealed_address), Purpose(row.purpose), None
        template, facts = self._unknown, dict[str, str]()
        if purpose is not Purpose.SIGN_IN or self._is_known_address(row.tenant, email):
            ttl = min(self._ttl, codes.CONFIRM_CODE_TTL.total_seconds()) if purpose is Purpose.CONFIRM else self._ttl
            code = codes.generate_code(self._db, self._seal, row.id, now=self._clock.now(), ttl=ttl)
            if code is None:
                return Result.OVERTAKEN
            template, facts = _TEMPLATES[purpose], {"code": code, "minutes": str(max(1, round(ttl / 60)))}
        message = self._composer.compose(
            tenant=row.tenant,
            template=template,
            locale=row.locale,
            recipient=email,
            facts=facts,
            reference=secrets.token_hex(16),
            reword=partial(without_other_codes, code=code),
        )
        self._composer.send(replace(message, subject=alone_in_subject(message.subject, code)) if code else message)
        return Result.DELIVERED

    def settled(
        self, connection: sa.Connection, subjects: Sequence[str], state: OutboxState, outcome: str | None
    ) -> None:
        """Do nothing: the request expires by itself."""


UNSENT_ALERT_SECONDS = 60
"""A code not sent after this long is an alert: the person is still looking at the page that asks for it."""


def count_unsent(db: Database, now: datetime, *, ttl: float) -> int:
    """Count the codes requested at least UNSENT_ALERT_SECONDS seconds ago and not sent yet, except expired ones.

    ttl: lifetime of a code in seconds (PORTAL_CODE_TTL).
    """
    expired, recent = now - timedelta(seconds=ttl), now - timedelta(seconds=UNSENT_ALERT_SECONDS)
    return health.unsent_since(db, codes.KIND, after=expired, until=recent)
