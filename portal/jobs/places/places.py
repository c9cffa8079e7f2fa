"""Recognises different spellings of one city, so that a filter offers it once.

A city is identified by the gazetteer if that has the name in its country, otherwise by country and name. Its name in
the language of a page is CLDR's if it names a time zone; the table below has others, where many postings are.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import cache, lru_cache

from babel import Locale
from babel.core import get_global

from portal.jobs.places.gazetteer import Spot, find_place
from portal.jobs.places.reach import is_reach
from portal.jobs.search.folding import folded, name_key

Pair = tuple[str, str]
"""Country and city, as stored."""


@lru_cache(maxsize=50_000)
def place_of(country: str, city: str) -> str:
    """Return an identifier of the city, for comparing only; '' if the text is empty or names no city."""
    if not city or is_reach(city):
        return ""
    spot = find_place(city, (country,) if country else ())
    if spot is None or (country and spot.country != country):
        return f"{country}\n{name_key(city)}"
    return spot_key(spot)


def spot_key(spot: Spot) -> str:
    """Return the same identifier for a position in the gazetteer."""
    return f"{spot.country}\n{spot.latitude:.3f},{spot.longitude:.3f}"


def names_of(pairs: Mapping[Pair, int]) -> dict[str, str]:
    """Return each city's name: its most frequent spelling, with the country if two cities are spelt the same.

    pairs: number of jobs for each spelling.
    """
    spelt: dict[str, Counter[str]] = {}
    for (country, city), n in pairs.items():
        if place := place_of(country, city):
            spelt.setdefault(place, Counter())[city] += n
    best = {place: min(its, key=lambda city: (-its[city], city)) for place, its in spelt.items()}
    shared = Counter(map(folded, best.values()))
    return {
        place: city if shared[folded(city)] == 1 else ", ".join(filter(None, (city, place.partition("\n")[0])))
        for place, city in best.items()
    }


def meant(wanted: Iterable[str], pairs: Collection[Pair]) -> dict[str, set[str]]:
    """Return which known cities the requested values mean: value → cities. Values: spellings, or names on the map."""
    spelt: dict[str, set[str]] = {}
    for country, city in pairs:
        if place := place_of(country, city):
            for name in (city, f"{city}, {country}", f"{city}, {place.partition(chr(10))[0]}"):
                spelt.setdefault(folded(name), set()).add(place)
    countries = {country for country, _ in pairs}
    known = {place for its in spelt.values() for place in its}
    found: dict[str, set[str]] = {}
    for value in wanted:
        its = spelt.get(folded(value))
        if its is None and (spot := find_place(value, countries)):
            its = {spot_key(spot)} & known
        if its:
            found[value] = its
    return found


_LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pl", "ar")
_NAMES = """
DE München|Munich|München|Munich|Múnich|Monaco di Baviera|München|Monachium|ميونخ
DE Köln|Cologne|Köln|Cologne|Colonia|Colonia|Keulen|Kolonia|كولونيا
DE Hamburg|Hamburg|Hamburg|Hambourg|Hamburgo|Amburgo|Hamburg|Hamburg|هامبورغ
DE Frankfurt am Main|Frankfurt|Frankfurt am Main|Francfort|Fráncfort|Francoforte|Frankfurt|Frankfurt nad Menem|فرانكفورت
DE Stuttgart|Stuttgart|Stuttgart|Stuttgart|Stuttgart|Stoccarda|Stuttgart|Stuttgart|شتوتغارت
DE Leipzig|Leipzig|Leipzig|Leipzig|Leipzig|Lipsia|Leipzig|Lipsk|لايبزيغ
DE Dresden|Dresden|Dresden|Dresde|Dresde|Dresda|Dresden|Drezno|دريسدن
DE Nürnberg|Nuremberg|Nürnberg|Nuremberg|Núremberg|Norimberga|Neurenberg|Norymberga|نورنبرغ
DE Hannover|Hanover|Hannover|Hanovre|Hannover|Hannover|Hannover|Hanower|هانوفر
CH Genève|Geneva|Genf|Genève|Ginebra|Ginevra|Genève|Genewa|جنيف
CH Sankt Gallen|St. Gallen|St. Gallen|Saint-Gall|San Galo|San Gallo|Sankt Gallen|Sankt Gallen|سانت غالن
CH Basel|Basel|Basel|Bâle|Basilea|Basilea|Bazel|Bazylea|بازل
CH Bern|Bern|Bern|Berne|Berna|Berna|Bern|Berno|برن
CH Lausanne|Lausanne|Lausanne|Lausanne|Lausana|Losanna|Lausanne|Lozanna|لوزان
AT Salzburg|Salzburg|Salzburg|Salzbourg|Salzburgo|Salisburgo|Salzburg|Salzburg|سالزبورغ
IT Milano|Milan|Mailand|Milan|Milán|Milano|Milaan|Mediolan|ميلانو
IT Torino|Turin|Turin|Turin|Turín|Torino|Turijn|Turyn|تورينو
IT Firenze|Florence|Florenz|Florence|Florencia|Firenze|Florence|Florencja|فلورنسا
IT Napoli|Naples|Neapel|Naples|Nápoles|Napoli|Napels|Neapol|نابولي
PL Kraków|Kraków|Krakau|Cracovie|Cracovia|Cracovia|Krakau|Kraków|كراكوف
BE Antwerpen|Antwerp|Antwerpen|Anvers|Amberes|Anversa|Antwerpen|Antwerpia|أنتويرب
BE Gent|Ghent|Gent|Gand|Gante|Gand|Gent|Gandawa|غنت
NL Den Haag|The Hague|Den Haag|La Haye|La Haya|L’Aia|Den Haag|Haga|لاهاي
NL Rotterdam|Rotterdam|Rotterdam|Rotterdam|Róterdam|Rotterdam|Rotterdam|Rotterdam|روتردام
FR Strasbourg|Strasbourg|Straßburg|Strasbourg|Estrasburgo|Strasburgo|Straatsburg|Strasburg|ستراسبورغ
FR Lyon|Lyon|Lyon|Lyon|Lyon|Lione|Lyon|Lyon|ليون
GB Manchester|Manchester|Manchester|Manchester|Mánchester|Manchester|Manchester|Manchester|مانشستر
US Boston|Boston|Boston|Boston|Boston|Boston|Boston|Boston|بوسطن
GB Edinburgh|Edinburgh|Edinburgh|Édimbourg|Edimburgo|Edimburgo|Edinburgh|Edynburg|إدنبرة
SE Göteborg|Gothenburg|Göteborg|Göteborg|Gotemburgo|Göteborg|Göteborg|Göteborg|غوتنبرغ
ES Sevilla|Seville|Sevilla|Séville|Sevilla|Siviglia|Sevilla|Sewilla|إشبيلية
ES Barcelona|Barcelona|Barcelona|Barcelone|Barcelona|Barcellona|Barcelona|Barcelona|برشلونة
"""


def city(place: str, written: str, locale: Locale) -> str:
    """Return a city's name in the language, or `written` if it is unknown. place: as places.place_of returns."""
    return _called(locale.language).get(place, written)


@cache
def _called(language: str) -> dict[str, str]:
    zones, english = Locale(language).time_zones, Locale("en").time_zones
    found: dict[str, str] = {}
    for zone, country in get_global("zone_territories").items():
        if "city" in zones.get(zone, {}) or language == "en":
            own = zone.rpartition("/")[2].replace("_", " ")
            plain = english.get(zone, {}).get("city", own)
            found[place_of(country, plain)] = zones.get(zone, {}).get("city", plain)
    if language in _LANGUAGES:
        at = _LANGUAGES.index(language) + 1
        for line in _NAMES.strip().split("\n"):
            names = line.split("|")
            found[place_of(names[0][:2], names[0][3:])] = names[at]
    return found
