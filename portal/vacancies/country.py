"""What the service calls a country → ISO 3166-1 alpha-2, where it can be told.

tools/country_names.py makes the file from CLDR: a line a name, as country_key has it, and its code. Names that are
codes are in capitals and are read of Latin letters alone: in another script a name can fold to a code of somebody else,
as "مصر" (Egypt) does to "msr" (Montserrat). To read CLDR itself would keep twenty languages in memory, 20 MB of each
process.
"""

import re
from functools import cache
from sys import intern

from portal.vacancies.folding import folded
from portal.vacancies.sorted_lines import unpacked

FILE = "countries.tsv.gz"


def country_code(text: str) -> str | None:
    """The alpha-2 code behind a name in one of many languages, or a code of two or three letters; else None."""
    key = country_key(text)
    return (_names().get(key.upper()) if text.isascii() else None) or _names().get(key)


def country_key(text: str) -> str:
    """What spellings of a name are compared by."""
    words = re.findall(r"[a-z]+", folded(text))
    return " ".join(words[1:] if len(words) > 1 and words[0] == "the" else words)


@cache
def _names() -> dict[str, str]:
    rows = (line.split("\t") for line in unpacked(FILE).decode("ascii").splitlines())
    return {name: intern(code) for name, code in rows}
