"""Posting ids and filters from custom attributes, which are in a vacancy's detail alone (§4.3)."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from portal.contract.vacancies import Vacancy, VacancyDetail
from portal.errors import NotThere, NotTheService, Rejected
from portal.passes.reader import Deadline
from portal.tenants.model import Tenant
from portal.upstream.client import Upstream
from portal.vacancies import attributes
from portal.vacancies.ingest import DETAIL, usable_posting_id

_AT_ONCE = 4


@dataclass(slots=True)
class Found:
    """By vacancy id. posting_ids: None where there is no usable one. attributes: as in attributes.kept.

    gone: deleted since its page was served; the next full pass withdraws it. unreadable: what is wrong with the detail.
    """

    posting_ids: dict[str, str | None] = field(default_factory=dict)
    attributes: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    unreadable: dict[str, str] = field(default_factory=dict)


class Details:
    """Asks for details, a few at once."""

    def __init__(self, upstream: Upstream, tenant: Tenant, deadline: Deadline) -> None:
        self._upstream = upstream
        self._publish = tenant.publish
        self._deadline = deadline

    def is_wanted(self, vacancy: Vacancy) -> bool:
        """Whether something is in the detail that matters; of what is not published nobody needs any."""
        if self._publish.posting_attribute is None and not self._publish.facets:
            return False
        stage = vacancy.stage.stage.name if vacancy.stage and vacancy.stage.stage else None
        return stage in self._publish.stages

    def of(self, vacancies: Iterable[Vacancy]) -> Found:
        """What the details of those that need one say."""
        found = Found()
        wanted = [vacancy.id for vacancy in vacancies if self.is_wanted(vacancy)]
        if wanted:
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                list(pool.map(lambda vacancy_id: self._ask(vacancy_id, found), wanted))
        return found

    def _ask(self, vacancy_id: str, found: Found) -> None:
        self._deadline.check()
        try:
            detail = self._upstream.vacancy(vacancy_id, reading=DETAIL)
        except NotThere:
            found.gone.add(vacancy_id)
        except (NotTheService, Rejected) as error:
            found.unreadable[vacancy_id] = f"its detail cannot be read: {error}"
        else:
            found.posting_ids[vacancy_id] = self._posting_id(detail)
            found.attributes[vacancy_id] = attributes.kept(self._publish, detail.custom_attributes or ())

    def _posting_id(self, detail: VacancyDetail) -> str | None:
        wanted = self._publish.posting_attribute
        if wanted is None:
            return None
        said = [each.value for each in detail.custom_attributes or () if each.attribute_definition_id == wanted]
        return usable_posting_id(said[0]) if said else None
