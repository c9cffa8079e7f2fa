"""The service as the portal sees it: one method an operation of §4."""

import json
import re
from datetime import UTC, datetime
from typing import TypeVar

import httpx

from portal.clock import Clock
from portal.contract import operations as op
from portal.contract.applications import Application, VacancyApplications
from portal.contract.bodies import CandidateUpdate, NewCandidate, NewVacancy, Submission
from portal.contract.candidates import Candidate
from portal.contract.limits import PAGE_MAX, PAGE_MIN
from portal.contract.model import Read, Write
from portal.contract.operations import Operation
from portal.contract.pipeline import PipelineStages
from portal.contract.vacancies import CreatedVacancy, Vacancy, VacancyDetail
from portal.errors import SettingsError
from portal.upstream.members import Members
from portal.upstream.outcome import Answer, json_of
from portal.upstream.page import BadRecord, Page, one_of, page_of
from portal.upstream.paths import path_of
from portal.upstream.wire import Sending, Wire

__all__ = ["BadRecord", "Page", "Upstream"]

_REFERENCE = re.compile(r"[\x21-\x7e]{1,200}")
_NOTHING = Sending()
T = TypeVar("T", bound=Read)


class Upstream:
    """One tenant's service. Every method raises a leaf of UpstreamError and nothing else; threads may share it.

    base_url: {base_url} of the interface, http or https. slug: {publicTenantSlug}. deadline: seconds from connect to
    last byte. transport: for tests, instead of sockets.
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
        reading: Members | None = None,
    ) -> Page[Vacancy]:
        """§4.1: one page of vacancies, those modified at or after `modified_since` only. reading: which members."""
        answer = self._page(op.LIST_VACANCIES, limit, modified_since, cursor)
        return page_of(answer, Vacancy, asked=limit, reading=reading)

    def candidates(
        self,
        *,
        limit: int = PAGE_MAX,
        modified_since: datetime | None = None,
        cursor: str | None = None,
        reading: Members | None = None,
    ) -> Page[Candidate]:
        """§4.2: one page of candidates, those modified at or after `modified_since` only. reading: which members."""
        answer = self._page(op.LIST_CANDIDATES, limit, modified_since, cursor)
        return page_of(answer, Candidate, asked=limit, reading=reading)

    def vacancy(self, vacancy_id: str, *, reading: Members | None = None) -> VacancyDetail:
        """§4.3. reading: which members."""
        return self._one(op.GET_VACANCY, path_of(op.GET_VACANCY, id=vacancy_id), VacancyDetail, reading=reading)

    def create_vacancy(self, company_id: str, body: NewVacancy) -> str:
        """§4.4: the new vacancy's id. For tools and tests: the portal itself creates none."""
        sending = Sending(query={"companyId": company_id}, body=_json(body))
        return self._one(op.CREATE_VACANCY, path_of(op.CREATE_VACANCY), CreatedVacancy, sending).id

    def create_candidate(self, body: NewCandidate) -> str:
        """§4.5: the string that the service answers, of unstated meaning. For tools and tests, as above."""
        answer = self._keyed.answer(op.CREATE_CANDIDATE, path_of(op.CREATE_CANDIDATE), Sending(body=_json(body)))
        content = json_of(answer)
        if not isinstance(content, str):
            raise answer.not_the_service("what came back is not a string")
        return content

    def applications(self, vacancy_id: str) -> VacancyApplications:
        """§4.6: all applications of a vacancy."""
        path = path_of(op.LIST_APPLICATIONS, vacancyId=vacancy_id)
        return self._one(op.LIST_APPLICATIONS, path, VacancyApplications)

    def application(self, application_id: str) -> Application:
        """§4.7."""
        return self._one(op.GET_APPLICATION, path_of(op.GET_APPLICATION, id=application_id), Application)

    def stages(self, template_id: str | None = None) -> PipelineStages:
        """§4.9: the stages of one template, or of all."""
        sending = Sending(query=None if template_id is None else {"templateId": template_id})
        return self._one(op.LIST_STAGES, path_of(op.LIST_STAGES), PipelineStages, sending)

    def submit(self, posting_id: str, body: Submission, *, reference: str) -> None:
        """§4.8: hand an application in. The same reference again is the same application."""
        path = path_of(op.SUBMIT_APPLICATION, publicTenantSlug=self._slug, jobBoardPostingId=posting_id)
        self._send(op.SUBMIT_APPLICATION, path, body, reference)

    def update_candidate(self, candidate_id: str, body: CandidateUpdate, *, reference: str) -> None:
        """§4.10: change a candidate's record. Members that are None are not sent, so they stay as they are."""
        path = path_of(op.UPDATE_CANDIDATE, publicTenantSlug=self._slug, candidateId=candidate_id)
        self._send(op.UPDATE_CANDIDATE, path, body, reference)

    def close(self) -> None:
        """Close every connection."""
        self._keyed.close()
        self._public.close()

    def _page(self, operation: Operation, limit: int, modified_since: datetime | None, cursor: str | None) -> Answer:
        if not PAGE_MIN <= limit <= PAGE_MAX:
            raise ValueError(f"limit: §4.11 allows {PAGE_MIN} to {PAGE_MAX}")
        query = {"limit": str(limit)}
        if modified_since is not None:
            query["modifiedSince"] = modified_since.astimezone(UTC).isoformat().replace("+00:00", "Z")
        if cursor is not None:
            query["cursor"] = cursor
        return self._keyed.answer(operation, path_of(operation), Sending(query=query))

    def _one(
        self,
        operation: Operation,
        path: str,
        model: type[T],
        sending: Sending = _NOTHING,
        *,
        reading: Members | None = None,
    ) -> T:
        return one_of(self._keyed.answer(operation, path, sending), model, reading=reading)

    def _send(self, operation: Operation, path: str, body: Write, reference: str) -> None:
        if not _REFERENCE.fullmatch(reference):
            raise ValueError("reference: expected printable ASCII, as it goes into a header")
        sending = Sending(body=_json(body), headers={"Idempotency-Key": reference})
        answer = self._public.answer(operation, path, sending)
        json_of(answer)  # of unknown shape (§4.8, §4.10): that it is JSON will do


def _json(body: Write) -> bytes:
    """What was not given is left out; what is required and may be null (like `networkUrl`) is sent as null."""
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
