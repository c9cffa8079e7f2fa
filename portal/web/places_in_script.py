"""A job's place in the letters of the page, where its reader may not know those that the company writes."""

from dataclasses import replace

from babel import Locale

from portal.vacancies.city_names import city
from portal.vacancies.places import place_of
from portal.vacancies.posting import Place
from portal.vacancies.reach import reach_of

_AREAS = {"~eu": "EU", "~europe": "150", "~world": "001"}
"""A reach → what CLDR knows it by."""


def in_script(place: Place, locale: Locale) -> Place:
    """The same where a page's letters are not those that the company writes places in, as far as it has names in them.

    What the company wrote stays on pages whose reader can read it.
    """
    if locale.text_direction != "rtl":
        return place
    if place.reach:
        area = _AREAS.get(reach_of(place.reach) or "", "")
        return replace(place, reach=locale.territories.get(area, place.reach))
    called = city(place_of(place.country or "", place.city), place.city, locale) if place.city else None
    # The country follows; a region in other letters between them helps nobody.
    return replace(place, city=called, region=None if called != place.city else place.region)
