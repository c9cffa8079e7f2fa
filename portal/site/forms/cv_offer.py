"""Suggestions for a form from a CV: text of an untrusted file, which must pass the rules of the fields it is for."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields

import phonenumbers
from phonenumbers import PhoneNumber, PhoneNumberFormat

from portal.adapters.cv_reader.result import CvDetails
from portal.contract import bounds
from portal.jobs.places.country import country_code
from portal.jobs.places.gazetteer import Spot, find_places, kilometres, unit_vector
from portal.jobs.places.postcodes import find_postcodes
from portal.jobs.search.folding import name_key
from portal.site.forms.fields import email_address, link, phone, text
from portal.site.forms.fields.refusal import Refused

_CODE = re.compile(
    r"(?<![\w+])(?:[A-Z]{1,3}[- ])?(\d{2}-\d{3}|\d{3} \d{2}|\d{5}(?:-\d{4})?|\d{4}(?: ?[A-Z]{2}\b)?|"
    r"[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}|[A-Z]\d[A-Z] ?\d[A-Z]\d|[A-Z]\d[\dW] ?[A-Z\d]{4})(?![\w])"
)
_TOWN = re.compile(r"[^\W\d_][^\d,;|@]{1,60}")
_BARE_ALIF = str.maketrans("أإآ", "ااا")
_TOWNS = frozenset({"SG", "MC", "HK", "MO", "GI"})
"""Countries that are one town."""
_NEAR_KM = 40
_LONGEST_PIECE = 200


@dataclass(frozen=True, slots=True)
class CvSuggestions:
    """Suggestions for the application form; None where there is none. phone_number: in international format."""

    first_name: str | None = field(default=None, repr=False)
    last_name: str | None = field(default=None, repr=False)
    email: str | None = field(default=None, repr=False)
    phone_number: str | None = field(default=None, repr=False)
    network_url: str | None = field(default=None, repr=False)
    city: str | None = field(default=None, repr=False)
    country: str | None = field(default=None, repr=False)

    def by_field(self) -> dict[str, str]:
        """Return member → value of the suggestions that there are."""
        return {each.name: value for each in fields(self) if (value := getattr(self, each.name))}


def offer(said: CvDetails, region: str | None) -> CvSuggestions:
    """Return what the form's own fields would accept of it.

    region: ISO 3166-1 alpha-2, for numbers without a country code.
    """
    homes = [home for piece in said.places[:12] if (home := _home(piece, None))]
    country = next((home.country for home in homes if home.country), None)
    number = _number(said.phones, (country, region))
    if not any(home.town for home in homes) and number is not None:
        code = phonenumbers.region_code_for_number(number)
        homes = [home for piece in said.places[:12] if (home := _home(piece, code))] if code else []
    home = next((home for home in homes if home.town), None) or next(iter(homes), _Home())
    first = _taken(said.given_name, lambda typed: text.required(typed, longest=bounds.NAME_MAX))
    last = _taken(said.family_name, lambda typed: text.required(typed, longest=bounds.NAME_MAX))
    shown = phonenumbers.format_number(number, PhoneNumberFormat.INTERNATIONAL) if number else None
    return CvSuggestions(
        first_name=first if last else None,
        last_name=last if first else None,
        email=_taken(said.email, email_address.parse),
        phone_number=shown,
        network_url=_taken(said.profile_url, link.parse),
        city=_taken(home.town, lambda typed: text.required(typed, longest=100)),
        country=home.country,
    )


def _taken(typed: str | None, parse: Callable[[str], str | None]) -> str | None:
    try:
        return parse(typed) if typed else None
    except Refused:
        return None


def _number(written: tuple[str, ...], regions: tuple[str | None, ...]) -> PhoneNumber | None:
    """Return the first number that is valid in some country; a merely possible one is not suggested."""
    for each in written[:4]:
        e164 = _taken(each.replace("(0)", " ") if each.startswith(("+", "00")) else each, _parse_phone(regions))
        if e164 and phonenumbers.is_valid_number(number := phonenumbers.parse(e164)):
            return number
    return None


def _parse_phone(regions: tuple[str | None, ...]) -> Callable[[str], str]:
    return lambda typed: phone.parse(typed, regions=regions)


@dataclass(frozen=True, slots=True)
class _Home:
    town: str | None = None
    country: str | None = None


def _home(piece: str, likely: str | None) -> _Home | None:
    """Return the town and country of "Hauptstr. 5, 10115 Berlin, Germany"; None unless it certainly is a place.

    likely: a country that other details indicate, for a town without one.
    """
    parts = [part.strip() for part in re.split(r"[,،()]|\s[–-]\s", piece[:_LONGEST_PIECE]) if part.strip()]
    named = next((code for part in reversed(parts) if (code := _country(part))), None)
    for at, part in enumerate(parts):
        before = parts[at - 1] if at and re.fullmatch(r"[A-Z]{2} [\dA-Z -]{5,10}", part) else ""
        for code, town in _with_code(part) if not before else [(part[3:], f"{before}, {part[:2]}")]:
            about = [each for each in parts[at + 1 :] if not _CODE.search(each)]
            if (where := _agreed(code, town, named, about, likely)) is not None:
                return _Home(_cased(town.partition(",")[0]), where)
    without = [part for part in parts if not any(char.isdigit() for char in part)]
    for at, part in enumerate(without):
        if named and not _country(part) and any(spot.country == named for spot in _towns(part)):
            return _Home(_cased(part), named)
        towns = _towns(", ".join([part, *without[at + 1 :]])) if len(without) > at + 1 else []
        countries = {spot.country for spot in towns}
        if not named and len(countries) == 1 and towns and len(towns) < len(find_places(part)):
            return _Home(_cased(part), towns[0].country)
    if len(parts) == 1 and likely and not named and any(s.country == likely for s in find_places(parts[0])):
        return _Home(_cased(parts[0]), likely)
    if named in _TOWNS and len(parts) == 1:
        return _Home(_cased(parts[0]), named)
    return _Home(None, named) if named and _country(parts[-1]) else None


def _with_code(part: str) -> list[tuple[str, str]]:
    """Return (postal code, town after it, else before it) for each postal code."""
    found = []
    for code in _CODE.finditer(part):
        after, before = part[code.end() :].strip(" .-"), part[: code.start()].strip(" .-")
        if town := _TOWN.fullmatch(after) or _TOWN.fullmatch(before):
            found.append((code[1], town[0].strip()))
    return found


def _agreed(code: str, town: str, named: str | None, about: list[str], likely: str | None) -> str | None:
    """Return the one country in which the postal code and the town are near each other, None otherwise."""
    spots = find_places(", ".join([town, *about])) or find_places(town)
    found = [
        known.spot.country
        for known in find_postcodes(code, [named or likely or ""])
        if name_key(known.place) == name_key(town) or any(_is_near(known.spot, spot) for spot in spots)
    ]
    if named:
        return named if named in found or any(spot.country == named for spot in spots) else None
    countries = set(found)
    if likely in countries:
        return likely
    return countries.pop() if len(countries) == 1 else None


def _is_near(one: Spot, other: Spot) -> bool:
    if one.country != other.country:
        return False
    ends = (unit_vector(each.latitude, each.longitude) for each in (one, other))
    return kilometres(*ends) < _NEAR_KM


def _towns(name: str) -> list[Spot]:
    """Return the places of that name; Arabic names are written with and without the mark on an alif."""
    return find_places(name) or find_places(name.translate(_BARE_ALIF))


def _country(part: str) -> str | None:
    """Return the country of that name; two letters alone may be a state or a word."""
    if part == "مصر":  # which would be read as MSR, the code of Montserrat
        return "EG"
    return country_code(part) if len(part) > 3 or part in ("UK", "USA", "UAE", "U.K.", "EAU") else None


def _cased(town: str) -> str:
    return town.title() if town.isupper() and len(town) > 3 else town
