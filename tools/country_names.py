"""Generate the file of country names that portal/jobs/places/country.py reads and describes, from CLDR's data in Babel.

    .venv/bin/python tools/country_names.py

Run it again for a newer Babel or after a change of country_key; a test fails if the file is outdated.
"""

import gzip
import re
import sys
from pathlib import Path

from babel import Locale
from babel.core import get_global

from portal.jobs.places.country import FILE, country_key
from portal.tenants.languages import COMPLETE

TARGET = Path(__file__).resolve().parent.parent / "portal" / "jobs" / "places" / FILE
_OTHERS = ("pt", "sv", "da", "nb", "fi", "cs", "hu", "ro", "tr", "el", "uk", "ru")
"""Languages of country names in records, in addition to the languages of the pages."""
_ALSO = {
    "GB": "uk|great britain|england|scotland|wales|northern ireland|schottland|ecosse|gb",
    "US": "usa|us|united states of america|u s a|u s|america|etats unis d amerique|vereinigte staaten von amerika",
    "NL": "holland|nederland|the netherlands|pays bas",
    "CZ": "czech republic|tschechische republik|republique tcheque",
    "CH": "suisse schweiz|schweiz suisse",
    "AE": "uae",
    "KR": "korea|republic of korea|south korea",
    "TR": "turkey|turkiye",
    "MK": "macedonia",
    "IE": "republic of ireland|eire",
    "RU": "russia|russian federation",
    "CN": "prc|mainland china",
    "VN": "viet nam",
    "XK": "xkx",
    "HK": "hong kong",
    "MO": "macau|macao",
}


def names() -> dict[str, str]:
    """Return every country's names, and its codes in capitals → its alpha-2 code."""
    found: dict[str, str] = {}
    known = map(str, Locale("en").territories)
    codes = {code for code in known if re.fullmatch("[A-Z]{2}", code)} - {"EU", "EZ", "UN", "ZZ"}
    for language in reversed(
        dict.fromkeys((*COMPLETE, *_OTHERS))
    ):  # if two languages disagree about a name, the earlier language decides
        territories = Locale(language).territories
        found.update({country_key(territories[code]): code for code in codes if code in territories})
    for former, now in get_global("territory_aliases").items():  # these include three-letter codes
        if re.fullmatch("[A-Z]{3}", former) and len(now) == 1 and now[0] in codes:
            found[former] = now[0]
    found.update({code: code for code in codes})
    for code, names in _ALSO.items():
        found.update(dict.fromkeys(names.split("|"), code))
    found.pop("", None)
    return found


def main() -> int:
    """Write the file."""
    lines = sorted(f"{name}\t{code}\n" for name, code in names().items())
    TARGET.write_bytes(gzip.compress("".join(lines).encode("ascii"), mtime=0))
    print(f"{len(lines)} names, {TARGET.stat().st_size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
