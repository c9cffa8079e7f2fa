"""Facts that cards of a list show in fixed wording, such as "part-time" or "Austria", and their names in any language.

Each has a token: an artificial word in the index. Postings are indexed with their tokens, in no language; search words
are translated into tokens at query time, so that new languages or names need no new index.
"""

import re
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from importlib.resources import files

from rapidfuzz.distance import OSA

from portal.contract.bodies import LocationType
from portal.jobs.places.country import country_code
from portal.jobs.places.gazetteer import Spot, find_places
from portal.jobs.places.regions import find_regions
from portal.jobs.search.folding import folded

LONGEST = 4
"""The largest number of words in a name."""
_PLACES_MOST = 8
_SHORT = frozenset({"uk", "usa", "uae", "brd"})
"""Country names of at most three letters that mean nothing else: "it" and "in" are ordinary words."""
_TYPE, _WAY, _COUNTRY, _REGION, _PLACE = "0t", "0w", "0c", "0r", "0p"
"""Prefixes of tokens. None is a prefix of a tenant's scope_word, which is hexadecimal for letters and digits."""
_KINDS = {"employment_type": _TYPE, "location_type": _WAY}
_PIECE = re.compile(r"[a-z0-9]+")


def tokens_of(
    employment_type: str, location_type: str, country: str, region: str, spot: Spot | None, title: str
) -> set[str]:
    """Return the tokens of a posting. If its record has no job type or workplace type, its title is searched."""
    code = country if len(country) == 2 else ""
    known = {_TYPE: employment_type, _WAY: location_type, _COUNTRY: code, _REGION: region}
    tokens = {token for token in _in(_pieces(title)) if not known[token[:2]]}
    tokens.update(_token(kind, value) for kind, value in known.items() if value)
    return tokens | ({_spot_token(spot)} if spot else set())


def tokens(name: Sequence[str]) -> frozenset[str]:
    """Return the tokens that a name of some words (a-z and 0-9) means; none for most words."""
    return _tokens(tuple(name))


def beginning(word: str) -> frozenset[str]:
    """Return the tokens of the names that an incomplete word may be the beginning of."""
    if len(word) < 5:
        return frozenset()
    return frozenset(token for name, token in _names().items() if len(name) == 1 and name[0].startswith(word))


def type_named(word: str) -> frozenset[str]:
    """Return the job type or workplace type that a single word names, for highlighting."""
    token = _names().get((word,))
    return frozenset([token]) if token else frozenset()


def similar_type_names(word: str, slips: int) -> list[str]:
    """Return names of job types and workplace types that a misspelt word may mean, the most similar first."""
    others = [name[0] for name in _names() if len(name) == 1 and len(name[0]) > 4]
    distances = sorted((OSA.distance(word, other, score_cutoff=slips), other) for other in others)
    return [other for distance, other in distances if distance <= slips][:1] if slips else []


def workplace_type_named(text: str) -> LocationType | None:
    """Return the workplace type that a text names."""
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
    """Yield the tokens of job types and workplace types that are named in a text."""
    known = _names()
    for start in range(len(pieces)):
        for end in range(start + 1, min(start + LONGEST, len(pieces)) + 1):
            if token := known.get(pieces[start:end]):
                yield token


def _token(kind: str, value: str) -> str:
    return kind + "".join(_PIECE.findall(value.lower()))


def _spot_token(spot: Spot) -> str:
    """Return the token of a location, made of its coordinates, which stay when the gazetteer is rebuilt."""
    return f"{_PLACE}{spot.country.lower()}{round((spot.latitude + 90) * 100)}x{round((spot.longitude + 180) * 100)}"


def _pieces(text: str) -> tuple[str, ...]:
    return tuple(_PIECE.findall(folded(text)))


@cache
def _names() -> dict[tuple[str, ...], str]:
    """Return the words of each name → token."""
    lexicon = tomllib.loads((files("portal.jobs.search") / "concepts.toml").read_text("utf-8"))
    every = ((kind, value, names) for section, kind in _KINDS.items() for value, names in lexicon[section].items())
    return {_pieces(name): _token(kind, value) for kind, value, names in every for name in names.split(",")}
