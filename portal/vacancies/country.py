"""What the service calls a country → ISO 3166-1 alpha-2, where it can be told."""

import re
from functools import cache

from babel import Locale
from babel.core import get_global

from portal.vacancies.folding import folded

_LANGUAGES = (
    "en",
    "de",
    "fr",
    "es",
    "it",
    "nl",
    "pt",
    "pl",
    "sv",
    "da",
    "nb",
    "fi",
    "cs",
    "hu",
    "ro",
    "tr",
    "el",
    "uk",
    "ar",
    "ru",
)
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


def country_code(text: str) -> str | None:
    """The alpha-2 code behind a name in one of many languages, or a code of two or three letters; else None."""
    return _names().get(_key(text))


def _key(text: str) -> str:
    words = re.findall(r"[a-z]+", folded(text))
    return " ".join(words[1:] if len(words) > 1 and words[0] == "the" else words)


@cache
def _names() -> dict[str, str]:
    found: dict[str, str] = {}
    known = map(str, Locale("en").territories)
    codes = {code for code in known if re.fullmatch("[A-Z]{2}", code)} - {"EU", "EZ", "UN", "ZZ"}
    for language in reversed(_LANGUAGES):  # the first languages have the last word where two disagree
        territories = Locale(language).territories
        found.update({_key(territories[code]): code for code in codes if code in territories})
    for former, now in get_global("territory_aliases").items():  # CLDR has the codes of three letters among them
        if re.fullmatch("[A-Z]{3}", former) and len(now) == 1 and now[0] in codes:
            found[former.lower()] = now[0]
    found.update({code.lower(): code for code in codes})
    for code, names in _ALSO.items():
        found.update(dict.fromkeys(names.split("|"), code))
    found.pop("", None)
    return found
