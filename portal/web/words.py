"""What lists call the service's values."""

from collections.abc import Callable

from babel import Locale
from flask_babel import LazyString, lazy_gettext

from portal.contract.bodies import EmploymentType, LocationType
from portal.web.locale import country

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
