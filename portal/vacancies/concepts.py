"""What the cards of a list say in a fixed way, such as "part-time" or "Austria", and what people call it in any language.

Each has a token, which is a word of the index that nobody types. A posting is indexed with its tokens, once and in no
language; what is searched for is looked up here when somebody asks, so that a new language or name needs no new index.
"""

import re
from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

from rapidfuzz.distance import OSA

from portal.contract.bodies import EmploymentType, LocationType
from portal.vacancies.country import country_code
from portal.vacancies.folding import folded
from portal.vacancies.gazetteer import Spot, find_places
from portal.vacancies.regions import find_regions

LONGEST = 4
"""Words of a name that are looked for together."""
_PLACES_MOST = 8
_SHORT = frozenset({"uk", "usa", "uae", "brd"})
"""Of the names that countries have of three letters and less, those that mean nothing else: "it" and "in" are words."""
_PIECE = re.compile(r"[a-z0-9]+")

_TYPES = {
    EmploymentType.FULL_TIME: "full time|fulltime|full timer|vollzeit|volle stelle|temps plein|plein temps|temps complet|tiempo completo"
    "|jornada completa|tempo pieno|full time job|voltijd|voltijds|fulltime baan|pelny etat|pelny wymiar|pelnym wymiarze|caly etat"
    "|tempo integral|tempo inteiro|heltid|kokoaikainen|plny uvazek|teljes munkaido|norma intreaga|tam zamanli|دوام كامل|بدوام كامل"
    "|وقت كامل|полная занятость|полный день|повна зайнятість|πληρης απασχοληση",
    EmploymentType.PART_TIME: "part time|parttime|part timer|teilzeit|halbtags|temps partiel|mi temps|tiempo parcial|media jornada"
    "|jornada parcial|tempo parziale|part time job|deeltijd|deeltijds|parttime baan|niepelny etat|czesc etatu|niepelny wymiar"
    "|niepelnym wymiarze|pol etatu|tempo parcial|meio periodo|deltid|osa aikainen|castecny uvazek|zkraceny uvazek|reszmunkaido"
    "|norma partiala|yari zamanli|دوام جزئي|بدوام جزئي|وقت جزئي|частичная занятость|неполный день|часткова зайнятість|μερικη απασχοληση",
    EmploymentType.TEMPORARY: "temporary|temp|fixed term|limited contract|befristet|befristete|zeitarbeit|aushilfe|temporaire|interim"
    "|interimaire|cdd|contrat a duree determinee|temporal|contrato temporal|eventual|temporaneo|tempo determinato|a termine|tijdelijk"
    "|tijdelijke|uitzend|uitzendwerk|tymczasowa|tymczasowe|tymczasowy|czas okreslony|praca czasowa|temporario|temporaria|contrato a termo"
    "|tidsbegraenset|tidsbegransad|visstid|midlertidig|maaraaikainen|docasny|ideiglenes|temporar|gecici|مؤقت|مؤقتة|عمل مؤقت"
    "|временная|временная работа|тимчасова|προσωρινη",
    EmploymentType.INTERNSHIP: "internship|internships|intern|interns|trainee|traineeship|work placement|placement|praktikum|praktika"
    "|praktikant|praktikantin|praktikumsplatz|pflichtpraktikum|stage|stages|stagiaire|stagiaires|practicas|practicante|becario|becaria"
    "|pasantia|pasante|tirocinio|tirocinante|stagista|stagiair|stageplaats|stageplek|staz|staze|stazysta|stazystka|praktyka|praktyki"
    "|praktykant|praktykantka|estagio|estagiario|estagiaria|praktik|harjoittelu|harjoittelija|staz studencka|gyakornok|gyakornoki"
    "|stagiu|staj|stajyer|تدريب|فترة تدريب|متدرب|متدربة|تدريب عملي|стажировка|практика|стажування|πρακτικη ασκηση",
}  # fmt: skip
_WAYS = {
    LocationType.REMOTE: "remote|remotely|fully remote|remote work|remote working|work from home|working from home|wfh|home office|homeoffice"
    "|home based|telework|teleworking|telecommute|telecommuting|telearbeit|mobiles arbeiten|mobile arbeit|fernarbeit|ortsunabhangig"
    "|teletravail|a distance|travail a distance|distanciel|teletrabajo|en remoto|remoto|a distancia|trabajo remoto|trabajo a distancia"
    "|telelavoro|lavoro agile|smart working|da remoto|lavoro da remoto|thuiswerk|thuiswerken|op afstand|telewerk|zdalna|zdalnie|zdalny"
    "|praca zdalna|tryb zdalny|teletrabalho|trabalho remoto|distansarbete|distans|hjemmearbejde|fjernarbejde|fjernarbeid|hjemmekontor"
    "|etatyo|prace z domova|na dalku|tavmunka|telemunca|uzaktan|uzaktan calisma|evden calisma|عن بعد|عن بُعد|العمل عن بعد|عمل عن بعد"
    "|العمل عن بُعد|удаленно|удаленная|удаленная работа|віддалено|віддалена робота|εξ αποστασεως|τηλεργασια",
    LocationType.HYBRID: "hybrid|hybrid work|hybrid working|hybrides arbeiten|hybride|hybrides|hibrido|hibrida|ibrido|ibrida|lavoro ibrido"
    "|modalita ibrida|hybride werken|hybrydowa|hybrydowy|hybrydowo|praca hybrydowa|tryb hybrydowy|hybridi|hybridni|hibrid|hibrit|هجين"
    "|مختلط|عمل هجين|гибрид|гибридный|гибридная|гібридна|υβριδικη",
    LocationType.ONSITE: "on site|onsite|on premises|in office|in person|vor ort|prasenz|im buro|sur site|sur place|en presentiel|presentiel"
    "|presencial|en sitio|en la oficina|in sede|in presenza|in loco|op locatie|ter plaatse|op kantoor|stacjonarnie|stacjonarna"
    "|stacjonarny|na miejscu|w biurze|pa plats|pa stedet|lahityo|na pracovisti|helyszini|la sediu|isyerinde|ofiste|في الموقع|حضوري"
    "|في مقر العمل|من المكتب|на месте|в офисе|στο χωρο",
}  # fmt: skip


def tokens_of(
    employment_type: str, location_type: str, country: str, region: str, spot: Spot | None, title: str
) -> set[str]:
    """What a posting is indexed by beside its words. A title says what its record leaves open, and a type besides."""
    said = {token for start in (title,) for token in _in(_pieces(start))}
    if location_type:
        said = {token for token in said if not token.startswith("0w")}
    known = [("0t", employment_type), ("0w", location_type), ("0c", country if len(country) == 2 else ""), ("0r", region)]
    said.update(_token(kind, value) for kind, value in known if value)
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
    return next((way for way in LocationType if token == _token("0w", way)), None)


@lru_cache(maxsize=10_000)
def _tokens(name: tuple[str, ...]) -> frozenset[str]:
    found = {token for token in [_names().get(name)] if token}
    text = " ".join(name)
    if len(text) > 3 or text in _SHORT:
        code = country_code(text)
        found.update([_token("0c", code)] if code else [])
    if len(text) > 2 and not text.isdigit():
        found.update(_token("0r", each.code) for each in find_regions(text)[:_PLACES_MOST])
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
    return f"0p{spot.country.lower()}{round((spot.latitude + 90) * 100)}x{round((spot.longitude + 180) * 100)}"


def _pieces(text: str) -> tuple[str, ...]:
    return tuple(_PIECE.findall(folded(text)))


@cache
def _names() -> dict[tuple[str, ...], str]:
    """Words of a name → token."""
    every = [("0t", _TYPES), ("0w", _WAYS)]
    return {
        _pieces(name): _token(kind, value)
        for kind, lexicon in every
        for value, names in lexicon.items()
        for name in names.split("|")
    }
