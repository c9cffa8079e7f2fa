"""Posting ids and filter values from custom attributes, which only a vacancy's detail contains (§4.3)."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from portal.adapters.tracker_client.client import Upstream
from portal.background.sync.reader import Deadline
from portal.contract.vacancies import Vacancy, VacancyDetail
from portal.jobs.mirror.ingest import DETAIL, usable_posting_id
from portal.jobs.search import attributes
from portal.platform.errors import NotThere, NotTheService, Rejected
from portal.tenants.model import Tenant

_AT_ONCE = 4


@dataclass(slots=True)
class VacancyDetails:
    """Results by vacancy id. posting_ids: None if there is no usable one. attributes: as attributes.kept returns.

    gone: deleted since its page was served; the next full sync withdraws it. unreadable: what is wrong with the detail.
    """

    posting_ids: dict[str, str | None] = field(default_factory=dict)
    attributes: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    unreadable: dict[str, str] = field(default_factory=dict)


class Details:
    """Requests details of vacancies, a few at a time."""

    def __init__(self, upstream: Upstream, tenant: Tenant, deadline: Deadline) -> None:
        self._upstream = upstream
        self._publish = tenant.publish
        self._deadline = deadline

    def is_wanted(self, vacancy: Vacancy) -> bool:
        """Return whether its detail is needed: if the vacancy is published and the tenant's rules use attributes."""
        if self._publish.posting_attribute is None and not self._publish.facets:
            return False
        stage = vacancy.stage.stage.name if vacancy.stage and vacancy.stage.stage else None
        return stage in self._publish.stages

    def of(self, vacancies: Iterable[Vacancy]) -> VacancyDetails:
        """Return what the details of the vacancies that need one contain."""
        found = VacancyDetails()
        wanted = [vacancy.id for vacancy in vacancies if self.is_wanted(vacancy)]
        if wanted:
            with ThreadPoolExecutor(_AT_ONCE) as pool:
                list(pool.map(lambda vacancy_id: self._ask(vacancy_id, found), wanted))
        return found

    def _ask(self, vacancy_id: str, found: VacancyDetails) -> None:
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
