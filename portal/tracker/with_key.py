"""The operations that need an API key: §4.1 to §4.7 and §4.9. Each view parses, calls one function and responds."""

import base64
import binascii
import hashlib
import hmac
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus

import sqlalchemy as sa
from flask import Blueprint, Response, g, request

from portal.contract.operations import CREATE_CANDIDATE, CREATE_VACANCY
from portal.platform.clock import Clock
from portal.platform.database.db import EPOCH, Database
from portal.platform.database.prepared import AnyConnection, autocommit_reads
from portal.tracker import applications, candidates, keys, request_reading, revisions, stages, vacancies
from portal.tracker.keys import Caller, RequestLimit
from portal.tracker.problems import not_found
from portal.tracker.request_reading import refused_parameter
from portal.tracker.revisions import MICROSECOND, Revision, microseconds, stamp
from portal.tracker.shapes import written
from portal.tracker.tables import candidates as candidates_table
from portal.tracker.tables import vacancies as vacancies_table


def sealed(secret: str, turn: datetime) -> str:
    """Return the cursor: Base64 of hexadecimal digits, so without `+`, `/` or `=`, and safe in a query unencoded."""
    place = f"{microseconds(turn):016x}"
    return base64.b64encode((place + _mark(secret, place)).encode()).decode()


def read(secret: str, cursor: str | None) -> datetime | None:
    """Return the modification time to start from; ServiceProblem 400 for a damaged cursor or another tenant's."""
    if cursor is None:
        return None
    try:
        plain = base64.b64decode(cursor.encode(), validate=True).decode("ascii")
    except (binascii.Error, UnicodeError, ValueError):
        plain = ""
    turn = EPOCH + int(plain[:16], 16) * MICROSECOND if re.fullmatch(r"[0-9a-f]{48}", plain) else None
    if turn is None or not hmac.compare_digest(sealed(secret, turn).encode(), cursor.encode()):
        raise refused_parameter("cursor", "is not a cursor that this operation gave")
    return turn


def _mark(secret: str, place: str) -> str:
    return hmac.new(secret.encode(), place.encode(), hashlib.sha256).hexdigest()[:32]


def blueprint(database: Database, clock: Clock, rate_limit: RequestLimit) -> Blueprint:
    """Return the blueprint of the eight operations. rate_limit: rate limit of an API key."""
    pages = Blueprint("with_key", __name__)
    operations = _Operations(database, clock, rate_limit)
    for path, method, view in (
        ("/vacancies", "GET", operations.list_vacancies),
        ("/candidates", "GET", operations.list_candidates),
        ("/vacancies/<vacancy_id>", "GET", operations.get_vacancy),
        ("/vacancies", "POST", operations.create_vacancy),
        ("/candidates", "POST", operations.create_candidate),
        ("/applications/vacancy/<vacancy_id>", "GET", operations.list_applications),
        ("/applications/<application_id>", "GET", operations.get_application),
        ("/pipeline/applications/stages", "GET", operations.list_stages),
    ):
        pages.add_url_rule(path, view_func=view, methods=[method])
    return pages


@dataclass(frozen=True, slots=True)
class _Operations:
    """One view for each operation."""

    database: Database
    clock: Clock
    rate_limit: RequestLimit

    def _known(self, connection: AnyConnection) -> Caller:
        caller = keys.authenticate(connection, request.headers.get("x-api-key"))
        g.rate_limit = self.rate_limit.count_request(caller.key_id)
        return caller

    @contextmanager
    def _reading(self) -> Iterator[tuple[sa.Connection, Caller]]:
        with self.database.read() as connection:
            yield connection, self._known(connection)

    def _vacancy(self, vacancy_id: str) -> tuple[Caller, str]:
        """Return the caller and the vacancy's JSON, read by one query; ServiceProblem 401, 404 or 429."""
        presented = request.headers.get("x-api-key")
        key_id = keys.id_of(presented)
        asked = {"key_id": key_id, "vacancy": request_reading.known_id(vacancy_id)}
        with autocommit_reads(self.database) as connection:
            row = None if key_id is None else vacancies.WITH_KEY.first(connection, asked)
        caller = keys.verify(row, presented)
        g.rate_limit = self.rate_limit.count_request(caller.key_id)
        found = vacancies.detail(row)
        if found is None:
            raise not_found("vacancy")
        return caller, found

    def _caller(self) -> Caller:
        """Return the caller; identified before the body is read."""
        with self._reading() as (_, caller):
            return caller

    @contextmanager
    def _writing(self, caller: Caller) -> Iterator[tuple[sa.Connection, Revision]]:
        with self.database.write() as connection:
            turn = revisions.take(connection, self.clock, tenant_id=caller.tenant_id)
            if turn is None:
                raise not_found("tenant")
            yield connection, turn

    def list_vacancies(self) -> Response:
        """Respond to §4.1."""
        return self._page(
            vacancies_table, lambda _: request_reading.instant(request, "cursor"), lambda _, turn: stamp(turn)
        )

    def list_candidates(self) -> Response:
        """Respond to §4.2."""
        return self._page(
            candidates_table, lambda secret: read(secret, request_reading.query(request, "cursor")), sealed
        )

    def _page(
        self, table: sa.Table, read_cursor: Callable[[str], datetime | None], cursor: Callable[[str, datetime], str]
    ) -> Response:
        """Respond with a page (§4.11). read_cursor: from the tenant's secret; cursor: from the secret and a time."""
        with autocommit_reads(self.database) as connection:
            caller = self._known(connection)
            size, since = request_reading.page_size(request), request_reading.instant(request, "modifiedSince")
            # While a client pages, the cursor is never before its modifiedSince.
            start = max(filter(None, (since, read_cursor(caller.cursor_secret))), default=None)
            page = vacancies.page(connection, table, caller.tenant_id, start=start, size=size)
        following = None if page.next_turn is None else cursor(caller.cursor_secret, page.next_turn)
        info = written({"nextCursor": following, "hasNextPage": following is not None})
        return _json(f'{{"items":[{",".join(page.records)}],"pageInfo":{info}}}')

    def get_vacancy(self, vacancy_id: str) -> Response:
        """Respond to §4.3."""
        return _json(self._vacancy(vacancy_id)[1])

    def create_vacancy(self) -> Response:
        """Respond to §4.4."""
        caller = self._caller()
        company_id = request_reading.query(request, "companyId")
        if company_id is None:
            raise request_reading.refused_parameter("companyId", "is required")
        body = request_reading.body(request, CREATE_VACANCY)
        with self._writing(caller) as (connection, turn):
            created = vacancies.create(connection, turn, company_id, body)
        return _json(written({"id": created}), HTTPStatus.CREATED)

    def create_candidate(self) -> Response:
        """Respond to §4.5."""
        caller = self._caller()
        body = request_reading.body(request, CREATE_CANDIDATE)
        with self._writing(caller) as (connection, turn):
            created = candidates.create(connection, turn, body)
        return _json(written(created), HTTPStatus.CREATED)

    def list_applications(self, vacancy_id: str) -> Response:
        """Respond to §4.6."""
        caller, found = self._vacancy(vacancy_id)
        with self.database.read() as connection:
            summaries = applications.of_vacancy(connection, caller.tenant_id, vacancy_id, self.clock.now())
        return _json(f'{{"vacancy":{found},"applications":{written(summaries)}}}')

    def get_application(self, application_id: str) -> Response:
        """Respond to §4.7."""
        with self._reading() as (connection, caller):
            known = request_reading.known_id(application_id)
            found = applications.detail(connection, caller.tenant_id, application_id) if known else None
        if found is None:
            raise not_found("application")
        return _json(written(found))

    def list_stages(self) -> Response:
        """Respond to §4.9."""
        with self._reading() as (connection, caller):
            template_id = request_reading.query(request, "templateId")
            if template_id is not None and request_reading.known_id(template_id) is None:
                return _json('{"stages":[]}')
            return _json(stages.listed(connection, caller.tenant_id, template_id))


def _json(text: str, status: int = HTTPStatus.OK) -> Response:
    return Response(text, status, content_type="application/json")
