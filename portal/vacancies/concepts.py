"""What the cards of a list say in a fixed way, such as "part-time" or "Austria", and its names in any language.

Each has a token, which is a word of the index that nobody types. A posting is indexed with its tokens, once and in no
language; what is searched for is looked up here when somebody asks, so that a new language or name needs no new index.
"""

import re
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from importlib.resources import files

from rapidfuzz.distance import OSA

from portal.contract.bodies import LocationType
from portal.vacancies.country import country_code
from portal.vacancies.folding import folded
from portal.vacancies.gazetteer import Spot, find_places
from portal.vacancies.regions import find_regions

LONGEST = 4
"""Words of a name that are looked for together."""
_PLACES_MOST = 8
_SHORT = frozenset({"uk", "usa", "uae", "brd"})
"""Of the names that countries have of three letters and less, those that mean nothing else: "it" and "in" are words."""
_TYPE, _WAY, _COUNTRY, _REGION, _PLACE = "0t", "0w", "0c", "0r", "0p"
"""How a token begins. None is the beginning of a tenant's scope_word, which is hexadecimal for letters and digits."""
_KINDS = {"employment_type": _TYPE, "location_type": _WAY}
_PIECE = re.compile(r"[a-z0-9]+")


def tokens_of(
    employment_type: str, location_type: str, country: str, region: str, spot: Spot | None, title: str
) -> set[str]:
    """What a posting is indexed by beside its words. A title says what its record leaves open of type and way."""
    code = country if len(country) == 2 else ""
    known = {_TYPE: employment_type, _WAY: location_type, _COUNTRY: code, _REGION: region}
    said = {token for token in _in(_pieces(title)) if not known[token[:2]]}
    said.update(_token(kind, value) for kind, value in known.items() if value)
    return said | ({_spot_token(spot)} if spot else set())


def tokens(name: Sequence[str]) -> frozenset[str]:
    """What a name of some words means, each a-z and 0-9; nothing for most words."""
    return _tokens(tuple(name))


def beginning(word: str) -> frozenset[str]:
    """What a word that somebody is still typing may come to mean."""
    if len(word) < 5:
        return frozenset()
    return frozenset(token for name, token in _names().items() if len(name) == 1 and name[0].startswith(word))


def means(word: str) -> frozenset[str]:
    """Types and ways of working that are called so in one word: what is marked in a text."""
    token = _names().get((word,))
    return frozenset([token]) if token else frozenset()


def meant_by(word: str, slips: int) -> list[str]:
    """Names of types and ways of working that a misspelt word may have meant, the nearest first."""
    others = [name[0] for name in _names() if len(name) == 1 and len(name[0]) > 4]
    distances = sorted((OSA.distance(word, other, score_cutoff=slips), other) for other in others)
    return [other for distance, other in distances if distance <= slips][:1] if slips else []


def way_of(text: str) -> LocationType | None:
    """The way of working that a text names."""
    token = _names().get(_pieces(text))
    return next((way for way in LocationType if token == _token(_WAY, way)), None)


@lru_cache(maxsize=10_000)
def _tokens(name: tuple[str, ...]) -> frozenset[str]:
    found = {token for token in [_names().get(name)] if token}
    text = " ".join(name)
    if len(text) > 3 or text in _SHORT:
        code = country_code(text)
        found.update([_token(_COUNTRY, code)] if code else [])
    if len(text) > 2 and not text.isdigit():
        found.update(_token(_REGION, each.code) for each in find_regions(text)[:_PLACES_MOST])
        found.update(map(_spot_token, find_places(text)[:_PLACES_MOST]))
    return frozenset(found)


def _in(pieces: tuple[str, ...]) -> Iterable[str]:
    """The types and ways that are named in a text."""
    known = _names()
    for start in range(len(pieces)):
        for end in range(start + 1, min(start + LONGEST, len(pieces)) + 1):
            if token := known.get(pieces[start:end]):
                yield token


def _token(kind: str, value: str) -> str:
    return kind + "".join(_PIECE.findall(value.lower()))


def _spot_token(spot: Spot) -> str:
    """By its coordinates, which stay when the gazetteer is made anew."""
    return f"{_PLACE}{spot.country.lower()}{round((spot.latitude + 90) * 100)}x{round((spot.longitude + 180) * 100)}"


def _pieces(text: str) -> tuple[str, ...]:
    return tuple(_PIECE.findall(folded(text)))


@cache
def _names() -> dict[tuple[str, ...], str]:
    """Words of a name → token."""
    lexicon = tomllib.loads((files("portal.vacancies") / "concepts.toml").read_text("utf-8"))
    every = ((kind, value, names) for section, kind in _KINDS.items() for value, names in lexicon[section].items())
    return {_pieces(name): _token(kind, value) for kind, value, names in every for name in names.split(",")}
