"""Texts in place of a city that say where a remote job may be done from, such as "Anywhere in the European Union"."""

import re
from functools import lru_cache
from itertools import dropwhile

from portal.jobs.places.country import country_code
from portal.jobs.search.folding import folded

_EU = frozenset(
    "AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK".split()  # noqa: SIM905  shorter than a list
)
_EUROPE = _EU | frozenset("AD AL BA CH FO GB GG GI IM IS JE LI MC MD ME MK NO RS SM UA VA XK".split())  # noqa: SIM905  shorter than a list
_COUNTRIES: dict[str, frozenset[str] | None] = {
    "~benelux": frozenset({"BE", "LU", "NL"}),
    "~dach": frozenset({"AT", "CH", "DE", "LI"}),
    "~eu": _EU,
    "~europe": _EUROPE,
    "~iberia": frozenset({"ES", "PT"}),
    "~nordics": frozenset({"DK", "FI", "IS", "NO", "SE"}),
    "~own": frozenset(),
    "~world": None,
}
"""A reach, as in `vacancies.area` → its countries; None for all; the empty set for only the job's own country."""
_NAMES = {
    "~benelux": "benelux",
    "~dach": "dach|dachregion",
    "~eu": "eu|eea|europeanunion|europaischeunion|unioneuropeenne|unioneuropea|europeseunie|uniaeuropejska",
    "~europe": "europe|europa|emea|europaweit|europawide",
    "~iberia": "iberia",
    "~nordics": "nordics|scandinavia|skandinavien",
    "~own": "apac|latam|nationwide|countrywide|bundesweit|deutschlandweit|osterreichweit|schweizweit|multiplelocations|"
    "variouslocations|verschiedenestandorte",
    "~world": "|world|worldwide|global|international|weltweit|mundial|mondial",
}
_ANYWHERE = {
    "anywhere", "remote", "remotely", "home", "homeoffice", "uberall", "partout", "ovunque", "telework",
    "teletravail", "teletrabajo", "telelavoro", "thuiswerk", "zdalna",
}  # fmt: skip
_AROUND = _ANYWHERE | {
    "fully", "work", "from", "office", "within", "in", "across", "all", "over", "the", "ganz", "der", "die", "dans",
    "l", "en", "toda", "praca", "based", "full", "region",
}  # fmt: skip


@lru_cache(maxsize=20_000)
def reach_of(city: str) -> str | None:
    """Return the reach that the text means; None for a city or other text. Empty text means: anywhere."""
    words = re.findall("[a-z]+", folded(city))
    remaining = "".join(word for word in words if word not in _AROUND)
    if not remaining and city and _ANYWHERE.isdisjoint(words):
        return None
    return _by_name().get(remaining)


@lru_cache(maxsize=20_000)
def is_reach(city: str) -> bool:
    """Return whether the text is a reach instead of a city: "Remote", "Anywhere in Germany", "Europe"."""
    if not city or reach_of(city):
        return bool(city)
    words = re.findall("[a-z]+", folded(city))
    rest = list(dropwhile(_AROUND.__contains__, words))
    return len(rest) < len(words) and country_code(" ".join(rest)) is not None


@lru_cache(maxsize=1_000)
def reaches_to(country: str) -> tuple[str, ...]:
    """Return every reach that includes a country."""
    return tuple(reach for reach, countries in _COUNTRIES.items() if countries is None or country in countries)


def countries_of(city: str) -> tuple[str, ...]:
    """Return the countries of the reach that the text means, in order of their codes; () if it names none."""
    return tuple(sorted(_COUNTRIES.get(reach_of(city) or "") or ()))


def is_reached(country: str, where: str, city: str) -> bool:
    """Return whether a remote job can be done from a country. where, city: the job's country and city."""
    return where == country or (not where and reach_of(city) in reaches_to(country))


@lru_cache(maxsize=1)
def _by_name() -> dict[str, str]:
    return {name: reach for reach, names in _NAMES.items() for name in names.split("|")}
