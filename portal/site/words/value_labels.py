"""Labels of the service's values, such as job types, in lists and filters."""

from collections.abc import Callable

from babel import Locale
from flask_babel import LazyString, gettext, lazy_gettext

from portal.contract.bodies import EmploymentType, LocationType
from portal.jobs.places.places import city
from portal.jobs.posting import FacetValue, Hit
from portal.jobs.search.occupations import name_of
from portal.site.words.locale import country, language
from portal.tenants.model import Tenant
from portal.tenants.words import words_of

EMPLOYMENT: dict[str, LazyString] = {
    EmploymentType.FULL_TIME: lazy_gettext("Full-time"),
    EmploymentType.PART_TIME: lazy_gettext("Part-time"),
    EmploymentType.TEMPORARY: lazy_gettext("Temporary"),
    EmploymentType.INTERNSHIP: lazy_gettext("Internship"),
}
LOCATION: dict[str, LazyString] = {
    LocationType.REMOTE: lazy_gettext("Remote"),
    LocationType.HYBRID: lazy_gettext("Hybrid"),
    LocationType.ONSITE: lazy_gettext("On-site"),
}


def labels(locale: Locale) -> dict[str, Callable[[FacetValue], str]]:
    """Return the functions that label the values of each filter, in the order in which filters are shown."""
    return {
        "employmentType": lambda one: str(EMPLOYMENT.get(one.value, one.value)),
        "locationType": lambda one: str(LOCATION.get(one.value, one.value)),
        "country": lambda one: country(one.value, locale),
        "city": lambda one: city(one.place, one.value, locale),
    }


def how_far(hit: Hit, locale: Locale) -> str | None:
    """Return how far a job is from the location searched near, or that it is remote; None if there is nothing to add.

    If a remote job's location names an area in place of a city, it already states where the job can be done.
    """
    if hit.comes_remote:
        where = hit.posting.place.country
        if hit.posting.place.reach:
            return None
        if not where:
            return str(gettext("Remote, from anywhere"))
        return str(gettext("Remote in %(country)s", country=country(where, locale)))
    if hit.distance_km is None:
        return None
    if hit.distance_km < 1:
        return str(gettext("Less than 1 km away"))
    return str(gettext("%(km)s km away", km=round(hit.distance_km)))


def similar_title(hit: Hit, locale: Locale) -> str | None:
    """Return a note with the occupation by which a job was found; None if it was found by its words."""
    if hit.occupation is None:
        return None
    return str(gettext("Similar job title: %(title)s", title=name_of(hit.occupation, locale.language)))


def attribute_label(tenant: Tenant, label: str | None) -> str:
    """Return the page's name of a filter that the tenant names. label: as in the tenant file, None for the client."""
    if label is None:
        return str(gettext("Client"))
    return words_of(tenant, language(tenant)).facets.get(label, label)


def attribute_language(tenant: Tenant, label: str | None) -> str:
    """Return the language of that name: the page's if the tenant translated it, else that of the tenant's own words."""
    words = words_of(tenant, language(tenant))
    return words.language if label is None else words.language_of("facets", label)


def values_language(tenant: Tenant, label: str | None) -> str | None:
    """Return the language of the values, as the tenant wrote them; None for clients' names, which have none."""
    return None if label is None else tenant.site.locales[0].partition("-")[0]
