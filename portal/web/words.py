"""What lists call the service's values."""

from collections.abc import Callable

from babel import Locale
from flask_babel import LazyString, gettext, lazy_gettext

from portal.contract.bodies import EmploymentType, LocationType
from portal.tenants.model import Tenant
from portal.tenants.words import words_of
from portal.vacancies.city_names import city
from portal.vacancies.posting import Choice, Hit
from portal.web.locale import country, language

EMPLOYMENT: dict[str, LazyString] = {
    EmploymentType.FULL_TIME: lazy_gettext("Full-time"),
    EmploymentType.PART_TIME: lazy_gettext("Part-time"),
    EmploymentType.TEMPORARY: lazy_gettext("Temporary"),
    EmploymentType.INTERNSHIP: lazy_gettext("Internship"),
}
LOCATION: dict[str, LazyString] = {
    LocationType.REMOTE: lazy_gettext("Remote"),
    LocationType.HYBRID: lazy_gettext("Hybrid"),
    LocationType.ONSITE: lazy_gettext("On site"),
}


def labels(locale: Locale) -> dict[str, Callable[[Choice], str]]:
    """What the choices of each filter are called, in the order in which filters are shown."""
    return {
        "employmentType": lambda one: str(EMPLOYMENT.get(one.value, one.value)),
        "locationType": lambda one: str(LOCATION.get(one.value, one.value)),
        "country": lambda one: country(one.value, locale),
        "city": lambda one: city(one.place, one.value, locale),
    }


def how_far(hit: Hit, locale: Locale) -> str | None:
    """How far a job is from the place that was searched near, or that this does not matter."""
    if hit.comes_remote:
        where = hit.posting.place.country
        if not where:
            return str(gettext("Remote, from anywhere in the area"))
        return str(gettext("Remote in %(country)s", country=country(where, locale)))
    if hit.distance_km is None:
        return None
    if hit.distance_km < 1:
        return str(gettext("Less than 1 km away"))
    return str(gettext("%(km)s km away", km=round(hit.distance_km)))


def attribute_label(tenant: Tenant, label: str | None) -> str:
    """What a filter of the tenant's is called on this page. label: as its file has it, None for the client."""
    if label is None:
        return str(gettext("Client"))
    return words_of(tenant, language(tenant)).facets.get(label, label)


def attribute_language(tenant: Tenant, label: str | None) -> str:
    """Of that name: the page's where the tenant says it there, else that of the tenant's own words."""
    said = words_of(tenant, language(tenant))
    return said.language if label is None else said.language_of("facets", label)


def values_language(tenant: Tenant, label: str | None) -> str | None:
    """The service keeps values as the tenant wrote them; None for names of clients, which are of no language."""
    return None if label is None else tenant.site.locales[0].partition("-")[0]
