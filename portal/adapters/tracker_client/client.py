"""The tracking service as the portal uses it: one method for each operation of §4."""

import json
import re
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TypeVar
from urllib.parse import quote

import httpx

from portal.adapters.tracker_client.deadline import within
from portal.adapters.tracker_client.errors import AnswerTooLong, Rejected, TemporarilyUnavailable
from portal.adapters.tracker_client.outcome import ServiceResponse, json_of
from portal.adapters.tracker_client.page import BadRecord, FieldSelection, ListPage, one_of, page_of
from portal.adapters.tracker_client.wire import OutgoingRequest, Wire
from portal.contract import operations as op
from portal.contract.applications import Application, VacancyApplications
from portal.contract.bodies import CandidateUpdate, NewCandidate, NewVacancy, Submission
from portal.contract.bounds import PAGE_MAX, PAGE_MIN, PUBLIC_ID
from portal.contract.candidates import Candidate
from portal.contract.model import Read, Write
from portal.contract.operations import Operation
from portal.contract.pipeline import PipelineStages
from portal.contract.vacancies import CreatedVacancy, Vacancy, VacancyDetail
from portal.platform.clock import Clock
from portal.platform.errors import SettingsError

_OPAQUE_MAX = 500
_PUBLIC_NAMES = frozenset({"publicTenantSlug", "jobBoardPostingId"})


def path_of(operation: Operation, **segments: str) -> str:
    """Return the operation's path with its segments filled in and percent-encoded.

    Slugs and posting ids have to be URL-safe as they are; other ids are opaque (§1) and percent-encoded. Raises
    Rejected, without the value in its message, if a value cannot be a path segment.
    """
    filled = operation.path
    for name, value in segments.items():
        public = name in _PUBLIC_NAMES
        if not (PUBLIC_ID.fullmatch(value) if public else _is_a_segment(value)):
            raise Rejected(f"the {name} cannot be part of an address", operation=operation.section)
        filled = filled.replace("{" + name + "}", quote(value, safe=""))
    if filled.count("/") != operation.path.count("/") or "{" in filled:
        raise Rejected("the path does not have the shape of its operation", operation=operation.section)
    return filled


def _is_a_segment(value: str) -> bool:
    if not 1 <= len(value) <= _OPAQUE_MAX or not value.isprintable():
        return False
    # A proxy may decode %2F before it collapses dots, so dots between encoded slashes are refused too.
    return not any(part in {"", ".", ".."} for part in re.split(r"[/\\]", value))


__all__ = ["BadRecord", "ListPage", "TrackerClient"]

_REFERENCE = re.compile(r"[\x21-\x7e]{1,200}")
_NOTHING = OutgoingRequest()
T = TypeVar("T", bound=Read)


class TrackerClient:
    """One tenant's tracking service. Every method raises only subclasses of TrackerError; it is thread-safe.

    base_url: {base_url} of the interface, http or https. slug: {publicTenantSlug}. deadline: seconds from connecting to
    the last byte of the response. transport: used instead of sockets, for tests.
    """

    def __init__(
        self,
        *,
        base_url: str,
        slug: str,
        api_key: str,
        clock: Clock,
        deadline: float = 60,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        base = _base(base_url)
        if not re.fullmatch(r"[\x21-\x7e]{1,500}", api_key):
            raise SettingsError("[tracker] api_key: expected printable ASCII without spaces")
        self._slug = slug
        self._keyed = Wire(
            base_url=base,
            slug=slug,
            headers={"x-api-key": api_key},
            clock=clock,
            deadline=deadline,
            transport=transport,
        )
        self._public = Wire(base_url=base, slug=slug, headers={}, clock=clock, deadline=deadline, transport=transport)

    def vacancies(
        self,
        *,
        limit: int = PAGE_MAX,
        modified_since: datetime | None = None,
        cursor: str | None = None,
        reading: FieldSelection | None = None,
    ) -> ListPage[Vacancy]:
        """Return one page of vacancies modified at or after `modified_since` (§4.1). reading: fields to read."""
        answer = self._page(op.LIST_VACANCIES, limit, modified_since, cursor)
        return page_of(answer, Vacancy, asked=limit, reading=reading)

    def candidates(
        self,
        *,
        limit: int = PAGE_MAX,
        modified_since: datetime | None = None,
        cursor: str | None = None,
        reading: FieldSelection | None = None,
    ) -> ListPage[Candidate]:
        """Return one page of candidates modified at or after `modified_since` (§4.2). reading: fields to read."""
        answer = self._page(op.LIST_CANDIDATES, limit, modified_since, cursor)
        return page_of(answer, Candidate, asked=limit, reading=reading)

    def vacancy(self, vacancy_id: str, *, reading: FieldSelection | None = None) -> VacancyDetail:
        """Return a vacancy with its details (§4.3). reading: fields to read."""
        return self._one(op.GET_VACANCY, path_of(op.GET_VACANCY, id=vacancy_id), VacancyDetail, reading=reading)

    def create_vacancy(self, company_id: str, body: NewVacancy) -> str:
        """Create a vacancy and return its id (§4.4). For tools and tests: the portal itself creates none."""
        sending = OutgoingRequest(query={"companyId": company_id}, body=to_json(body))
        return self._one(op.CREATE_VACANCY, path_of(op.CREATE_VACANCY), CreatedVacancy, sending).id

    def create_candidate(self, body: NewCandidate) -> str:
        """Create a candidate (§4.5) and return the response, a string of unstated meaning. For tools and tests."""
        answer = self._keyed.answer(
            op.CREATE_CANDIDATE, path_of(op.CREATE_CANDIDATE), OutgoingRequest(body=to_json(body))
        )
        content = json_of(answer)
        if not isinstance(content, str):
            raise answer.not_the_service("the response is not a string")
        return content

    def applications(self, vacancy_id: str) -> VacancyApplications:
        """Return all applications of a vacancy (§4.6)."""
        path = path_of(op.LIST_APPLICATIONS, vacancyId=vacancy_id)
        return self._one(op.LIST_APPLICATIONS, path, VacancyApplications)

    def application(self, application_id: str) -> Application:
        """Return an application (§4.7)."""
        return self._one(op.GET_APPLICATION, path_of(op.GET_APPLICATION, id=application_id), Application)

    def stages(self, template_id: str | None = None) -> PipelineStages:
        """Return the pipeline stages of one template, or of all (§4.9)."""
        sending = OutgoingRequest(query=None if template_id is None else {"templateId": template_id})
        return self._one(op.LIST_STAGES, path_of(op.LIST_STAGES), PipelineStages, sending)

    def submit(self, posting_id: str, body: Submission, *, reference: str) -> None:
        """Submit an application (§4.8). reference: idempotency key; the same one means the same application."""
        path = path_of(op.SUBMIT_APPLICATION, publicTenantSlug=self._slug, jobBoardPostingId=posting_id)
        self._send(op.SUBMIT_APPLICATION, path, body, reference)

    def update_candidate(self, candidate_id: str, body: CandidateUpdate, *, reference: str) -> None:
        """Update a candidate (§4.10). Members that are None are not sent, so they stay unchanged at the service."""
        path = path_of(op.UPDATE_CANDIDATE, publicTenantSlug=self._slug, candidateId=candidate_id)
        self._send(op.UPDATE_CANDIDATE, path, body, reference)

    def certificate_until(self) -> datetime | None:
        """Return when the service's TLS certificate expires, as of this process's newest connection; else None."""
        return self._keyed.certificate_until()

    def close(self) -> None:
        """Close every connection."""
        self._keyed.close()
        self._public.close()

    def _page(
        self, operation: Operation, limit: int, modified_since: datetime | None, cursor: str | None
    ) -> ServiceResponse:
        if not PAGE_MIN <= limit <= PAGE_MAX:
            raise ValueError(f"limit: §4.11 allows {PAGE_MIN} to {PAGE_MAX}")
        query = {"limit": str(limit)}
        if modified_since is not None:
            query["modifiedSince"] = modified_since.astimezone(UTC).isoformat().replace("+00:00", "Z")
        if cursor is not None:
            query["cursor"] = cursor
        try:
            return self._keyed.answer(operation, path_of(operation), OutgoingRequest(query=query))
        except AnswerTooLong:  # records of unusual size: fewer at a time
            if limit == PAGE_MIN:
                raise
        return self._page(operation, max(PAGE_MIN, limit // 7), modified_since, cursor)

    def _one(
        self,
        operation: Operation,
        path: str,
        model: type[T],
        sending: OutgoingRequest = _NOTHING,
        *,
        reading: FieldSelection | None = None,
    ) -> T:
        return one_of(self._keyed.answer(operation, path, sending), model, reading=reading)

    def _send(self, operation: Operation, path: str, body: Write, reference: str) -> None:
        if not _REFERENCE.fullmatch(reference):
            raise ValueError("reference: expected printable ASCII, as it goes into a header")
        sending = OutgoingRequest(body=to_json(body), headers={"Idempotency-Key": reference})
        answer = self._public.answer(operation, path, sending)
        json_of(answer)  # the shape is not specified (§4.8, §4.10), so being JSON is enough


def to_json(body: Write) -> bytes:
    """Return the JSON to send: omits what was not given, but sends required members that are None as null."""
    content = body.model_dump(mode="json", by_alias=True, exclude_none=True)
    nulls = {
        str(member.alias): None
        for name, member in type(body).model_fields.items()
        if member.is_required() and getattr(body, name) is None
    }
    return json.dumps({**content, **nulls}, ensure_ascii=False, separators=(",", ":")).encode()


def _base(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL as exc:
        raise SettingsError("[tracker] base_url: not an address") from exc
    if url.scheme not in {"http", "https"} or not url.host or url.userinfo or url.query or url.fragment:
        raise SettingsError("[tracker] base_url: expected http(s)://host/path without user, query or fragment")
    return url


_SECONDS_PER_PAGE = 6.0
"""Seconds that all requests to the service for one page may take together."""
_SLOT_WAIT = 0.5
"""Seconds that a page waits for a free slot before it gives up."""
_PAGES_AT_ONCE = 4
"""Pages of one process that wait for services at the same time; half as many of one tenant."""


class PageConcurrencyLimit:
    """Concurrency limit for the pages of one process that wait for a service."""

    def __init__(self) -> None:
        self._all = threading.BoundedSemaphore(_PAGES_AT_ONCE)
        self._of_tenant: defaultdict[str, threading.BoundedSemaphore] = defaultdict(
            lambda: threading.BoundedSemaphore(_PAGES_AT_ONCE // 2)
        )

    @contextmanager
    def limited(self, tenant: str, clock: Clock) -> Iterator[None]:
        """Limit requests in the block to six seconds together.

        Raises TemporarilyUnavailable if too many pages are waiting already.
        """
        with _slot(self._of_tenant[tenant]), _slot(self._all), within(clock, _SECONDS_PER_PAGE):
            yield


@contextmanager
def _slot(slots: threading.BoundedSemaphore) -> Iterator[None]:
    if not slots.acquire(timeout=_SLOT_WAIT):
        raise TemporarilyUnavailable("too many pages wait for this service already", operation="4.2")
    try:
        yield
    finally:
        slots.release()
