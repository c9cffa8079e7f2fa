"""A country as the service names it → ISO 3166-1 alpha-2, if it is recognised.

tools/country_names.py generates the file from CLDR: a line for each name, in the form of country_key, with its code.
Names that are codes are in capitals and match Latin text only: names in other scripts can fold to another country's
code, as "مصر" (Egypt) does to "msr" (Montserrat). Reading CLDR itself would keep twenty languages in memory, 20 MB for
each process.
"""

import re
from functools import cache
from sys import intern

from portal.jobs.places.sorted_lines import unpacked
from portal.jobs.search.folding import folded

FILE = "countries.tsv.gz"


def country_code(text: str) -> str | None:
    """Return the alpha-2 code for a name in one of many languages, or a code of two or three letters; else None."""
    key = country_key(text)
    return (_names().get(key.upper()) if text.isascii() else None) or _names().get(key)


def country_key(text: str) -> str:
    """Return the form of a name in which spellings are compared."""
    words = re.findall(r"[a-z]+", folded(text))
    return " ".join(words[1:] if len(words) > 1 and words[0] == "the" else words)


@cache
def _names() -> dict[str, str]:
    rows = (line.split("\t") for line in unpacked(FILE).decode("ascii").splitlines())
    return {name: intern(code) for name, code in rows}
