"""What the list calls the service's values."""

from flask_babel import LazyString, lazy_gettext

from portal.contract.bodies import EmploymentType, LocationType

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
