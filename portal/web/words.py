"""What lists call the service's values."""

from collections.abc import Callable

from babel import Locale
from flask_babel import LazyString, lazy_gettext

from portal.contract.bodies import EmploymentType, LocationType
from portal.vacancies.posting import Place
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


def place_line(place: Place, locale: Locale) -> str:
    """Where a job is, in one line; empty where nothing is known."""
    region = place.region if place.region != place.city else None
    return ", ".join(filter(None, (place.city, region, place.country and country(place.country, locale))))
