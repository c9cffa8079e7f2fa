"""What lists call the service's values."""

from collections.abc import Callable

from babel import Locale
from flask_babel import LazyString, gettext, lazy_gettext

from portal.contract.bodies import EmploymentType, LocationType
from portal.tenants.model import Tenant
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


def labels(locale: Locale) -> dict[str, Callable[[str], str]]:
    """What the values of each filter are called, in the order in which filters are shown."""
    return {
        "employmentType": lambda value: str(EMPLOYMENT.get(value, value)),
        "locationType": lambda value: str(LOCATION.get(value, value)),
        "country": lambda code: country(code, locale),
        "city": str,
    }


def attribute_label(tenant: Tenant, label: str | None) -> str:
    """What a filter of the tenant's is called on this page. label: as its file has it, None for the client."""
    if label is None:
        return str(gettext("Client"))
    said = tenant.site.text.get(language(tenant))
    return said.facets.get(label, label) if said else label
