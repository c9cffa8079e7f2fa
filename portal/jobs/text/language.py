"""Detects a posting's language by its function words.

A job description has hundreds of words and there are a dozen candidate languages, so counting articles, pronouns and
prepositions is nearly always right; a trained model would add 50 MB and be no better at this length.
"""

import re
from functools import cache

_SMALL_WORDS = {
    "en": "the and of to in for with you your we our are is will be this that as on have from an or by at",
    "de": "der die das und wir sie mit für ein eine einen den dem des ist sind im zu von auf bei uns ihre als oder",
    "fr": "le la les des et vous nous pour dans un une du en avec est sur votre notre au aux que qui par ou ce sont",
    "es": "el la los las de y en para con un una del que se su por es tu nuestro nuestra como al o más te son",
    "it": "il lo la gli le di e in per con un una del della che si è nel alla tuo nostra come i dei sono o al",
    "nl": "de het een en van in voor met je wij ons bij op te is zijn dat aan onze jij als of naar wat die",
    "pt": "o a os as de e em para com um uma do da que se no na por é seu sua nossa você como ao ou são",
    "pl": "i w z na do się nie jest dla oraz od po jako lub nasz twoje praca przez że są to jak będziesz ze",
    "sv": "och att i en ett för med du vi är som på av till det den din vår om har ska eller från kan",
    "da": "og at i en et for med du vi er som på af til det den din vores om har skal eller fra kan dig",
    "nb": "og å i en et for med du vi er som på av til det den din vår om har skal eller fra kan deg",
    "fi": "ja on se että ei olet sinä me meidän kanssa tai sekä ovat kuin voit työ hyvä myös joka",
    "cs": "a v na se je pro s do to z že si jsou vás nebo naše které práce budete jako nám od",
    "ro": "și de la în cu pentru o un este din care pe sau să ne noi tale sunt ca mai",
    "hu": "a az és egy hogy nem is van meg vagy mint ha el munka nálunk csapat számára",
    "tr": "ve bir için ile bu olarak da de olan sizin bizim iş veya en çok gibi",
}
WIDESPREAD = frozenset({"en", "de", "fr", "es", "it", "nl", "pt", "pl"})
"""Languages that postings all over Europe are written in, whatever the languages of the site are."""
_WORD = re.compile(r"[^\W\d_]+")
_ENOUGH = 400
_SCRIPTS = (
    ("ru", re.compile(r"[а-яё]", re.IGNORECASE)),
    ("el", re.compile(r"[α-ω]", re.IGNORECASE)),
    ("ar", re.compile(r"[\u0620-\u064a]")),
    ("he", re.compile(r"[\u05d0-\u05ea]")),
    ("ja", re.compile(r"[\u3040-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7af]")),
    ("zh", re.compile(r"[\u4e00-\u9fff]")),
)

_LEFT_OUT = "and und et y e en och og i a of for fur mit with in im the der die das le la les de du di"
UNIMPORTANT = frozenset(_LEFT_OUT.split())
"""Folded function words that a search ignores if it has others."""


def language_of(text: str, default: str) -> str:
    """Return the ISO 639-1 code of a plain text's language; `default` if the text has too few known words."""
    if not text.isascii():
        for language, letters in _SCRIPTS:
            if len(letters.findall(text[:2_000])) > len(text[:2_000]) // 5:
                return language
    words = [word.lower() for word in _WORD.findall(text[:6_000])[:_ENOUGH]]
    known = _languages_of_words()
    scores: dict[str, float] = {}
    for word in words:
        for language in (languages := known.get(word, ())):
            # A word of a single language counts more than one that many languages share.
            scores[language] = scores.get(language, 0) + 1 / len(languages)
    best = max(scores, key=lambda language: scores[language], default=default)
    return best if scores.get(best, 0) >= 1 else default


@cache
def _languages_of_words() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for language, words in _SMALL_WORDS.items():
        for word in words.split():
            found.setdefault(word, []).append(language)
    return {word: tuple(languages) for word, languages in found.items()}
