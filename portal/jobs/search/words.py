"""Text → normalised words for the index, and search terms that find them; also their positions, for highlighting.

A word is indexed without accents, and by its stems in the text's language, of the word with and without accents,
because people type either. Both databases index the same words, so both find the same postings.
"""

import re
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache

import snowballstemmer

from portal.jobs.search import concepts, occupations
from portal.jobs.search.folding import folded
from portal.jobs.text.language import UNIMPORTANT

_ALGORITHMS = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek", "en": "english",
    "es": "spanish", "et": "estonian", "fi": "finnish", "fr": "french", "hu": "hungarian", "it": "italian",
    "lt": "lithuanian", "nb": "norwegian", "nl": "dutch", "pl": "polish", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip
_TOKEN = re.compile(r"(?<!\w)(?:[cC]\+\+|[cCfFjJ]#|\.(?:net|Net|NET)(?!\w))|[^\W_]+(?:-[^\W_]+)*")
_NAMED = {"c++": "cplusplus", "c#": "csharp", "f#": "fsharp", "j#": "jsharp", ".net": "dotnet"}
_PIECE = re.compile(r"[a-z0-9]+")
_LONGEST = 40
_MOST_TERMS = 12
_MOST_WORDS = 5_000

_stemmers = threading.local()


@dataclass(frozen=True, slots=True)
class Term:
    """What a posting must have: a word of `forms`, or one that begins with `prefix`, or every term of a phrase.

    word: as typed; of a phrase, all of its words. occupations: tokens that it means as a job title; a posting with one
    of them is found too, but is no exact match (occupations.py).
    """

    word: str
    forms: frozenset[str]
    prefix: str | None = None
    phrases: tuple[tuple["Term", ...], ...] = ()
    occupations: frozenset[str] = frozenset()

    def meets(self, forms: Iterable[str]) -> bool:
        """Return whether a word with these forms matches the term, or belongs to one of its phrases."""
        if not self.forms.isdisjoint(forms):
            return True
        if self.prefix is not None and any(form.startswith(self.prefix) for form in forms):
            return True
        return any(part.meets(forms) for phrase in self.phrases for part in phrase)

    def is_met(self, words: AbstractSet[str]) -> bool:
        """Return whether a posting with these words matches the term exactly, not only by its occupation."""
        if not self.forms.isdisjoint(words) or any(all(part.is_met(words) for part in each) for each in self.phrases):
            return True
        return self.prefix is not None and any(word.startswith(self.prefix) for word in words)


Synonyms = Mapping[tuple[str, ...], frozenset[tuple[str, ...]]]
"""A form of a word, or the words of a name → names with the same meaning."""


def words_of(text: str, language: str) -> set[str]:
    """Return every form of every word; each consists of 1 to 40 characters a-z and 0-9."""
    found: set[str] = set()
    for token in set(_TOKEN.findall(text)):
        found.update(_forms_of(token, language))
        if len(found) > _MOST_WORDS:
            break
    return found


def plain_words_of(text: str) -> set[str]:
    """Return the words without their stems, for correcting misspelt words."""
    return {piece for token in set(_TOKEN.findall(text)) for piece in _pieces(token)}


def spelt(word: str, texts: Iterable[str]) -> str:
    """Return a word of plain_words_of as people write it, in lower case: the index has no accents or other scripts.

    texts: where to look for it. Returns the word unchanged if none of them has it.
    """
    tokens = (token for text in texts for token in _TOKEN.findall(text))
    return next((token.lower() for token in tokens if _pieces(token) == (word,)), word)


@lru_cache(maxsize=100)
def synonyms_of(lines: tuple[tuple[str, ...], ...], languages: tuple[str, ...]) -> Synonyms:
    """Return a tenant's [search.synonyms]: each name in a line finds the same as the others in it."""
    found: dict[tuple[str, ...], frozenset[tuple[str, ...]]] = {}
    for line in lines:
        names = {tuple(_typed(name)) for name in line} - {()}
        for name in names:
            typed = [(form,) for form in term(name[0], languages).forms] if len(name) == 1 else [name]
            for each in typed:
                found[each] = found.get(each, frozenset()) | names - {name}
    return found


def terms_of(
    text: str, languages: Iterable[str], synonyms: Synonyms | None = None, *, by_occupation: bool = False
) -> list[Term]:
    """Return the terms to search for, of at most 12 words; the last may be incomplete.

    languages: of the postings. by_occupation: whether words that name an occupation also find other names of it.
    """
    text = without_gender_markers(text)
    accented = {folded(token): token.lower() for token, _, _ in _tokens(text)}
    wanted = _typed(text)
    telling = [word for word in wanted if word not in UNIMPORTANT] or wanted
    unfinished = telling[-1] if telling and telling[-1] == wanted[-1] and not text[-1:].isspace() else None
    asked = _Asked(tuple(sorted(set(languages))), synonyms or {}, accented, unfinished, by_occupation)
    found: list[Term] = []
    while wanted:
        phrase = asked.longest(wanted)
        if len(phrase) > 1 or phrase[0] in telling:
            found.append(asked.term(phrase))
        wanted = wanted[len(phrase) :]
    return found


def _typed(text: str) -> list[str]:
    pieces = [piece for token, _, _ in _tokens(text) for piece in _pieces(token)]
    return list(dict.fromkeys(pieces))[:_MOST_TERMS]


@dataclass(frozen=True, slots=True)
class _Asked:
    """The parts of a search that all of its terms depend on."""

    languages: tuple[str, ...]
    synonyms: Synonyms
    accented: Mapping[str, str]
    unfinished: str | None
    by_occupation: bool

    def longest(self, words: Sequence[str]) -> tuple[str, ...]:
        """Return as many of the first words as have a meaning together."""
        for end in range(min(len(words), occupations.LONGEST), 1, -1):
            name = tuple(words[:end])
            if name in self.synonyms or (end <= concepts.LONGEST and concepts.tokens(name)) or self.jobs(name):
                return name
        return (words[0],)

    def jobs(self, name: tuple[str, ...]) -> frozenset[str]:
        """Return the tokens of the occupations that the words name."""
        # Labels are compared without such words, so one at an end would be ignored: "nurse 1" must not match every
        # nurse.
        is_whole = all(len(word) > 1 and word not in UNIMPORTANT for word in (name[0], name[-1]))
        return occupations.tokens(name) if self.by_occupation and is_whole else frozenset()

    def term(self, phrase: tuple[str, ...]) -> Term:
        """Return the term for the words, with the concepts that they name and the tenant's synonyms."""
        first = self._word(phrase[0])
        spelt = [phrase] if len(phrase) > 1 else [(form,) for form in first.forms]
        others = {other for each in spelt for other in self.synonyms.get(each, ())} - {phrase}
        forms = {token for name in (phrase, *others) for token in concepts.tokens(name)}
        for name in (phrase, *others):
            forms |= self._word(name[0]).forms if len(name) == 1 else set()
        if len(phrase) == 1 and first.prefix:
            forms |= concepts.beginning(first.prefix)
        phrases = tuple(self._phrase(name) for name in sorted({phrase, *others}) if len(name) > 1)
        prefix = first.prefix if len(phrase) == 1 else None
        return Term(" ".join(phrase), frozenset(forms), prefix, phrases, self.jobs(phrase))

    def _phrase(self, name: tuple[str, ...]) -> tuple[Term, ...]:
        return tuple(map(self._word, [word for word in name if word not in UNIMPORTANT] or name))

    def _word(self, word: str) -> Term:
        return term(word, self.languages, self.accented.get(word, word), unfinished=word == self.unfinished)


def term(word: str, languages: Iterable[str], accented: str | None = None, *, unfinished: bool = False) -> Term:
    """Return a term for one word, with its forms in any of the languages."""
    forms = {word}
    for language in languages:
        forms.update(_stems(word, language))
        forms.update(_stems(accented or word, language))
    return Term(word, frozenset(forms), word if unfinished and len(word) > 1 else None)


class Marker:
    """Finds terms in texts; caches tokens, because the texts of one list share many."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self._terms = terms
        self._seen: defaultdict[str, set[str]] = defaultdict(set)
        self._found: defaultdict[str, set[str]] = defaultdict(set)

    def marks(self, text: str, language: str) -> Iterator[tuple[int, int]]:
        """Yield where `text` has any of the terms, lazily and in order: (start, end) in code points."""
        # Building sets of all tokens takes a third of the time of checking each token in place.
        wanted = self._matching(set(_TOKEN.findall(text)), language) if self._terms else frozenset()
        for token, start, end in _tokens(text) if wanted else ():
            if token in wanted:
                yield start, end

    def _matching(self, tokens: AbstractSet[str], language: str) -> AbstractSet[str]:
        seen, found = self._seen[language], self._found[language]
        new = tokens - seen
        for token in new:
            forms = _forms_of(token, language) | concepts.type_named(folded(token))
            if any(term.meets(forms) for term in self._terms):
                found.add(token)
        seen |= new
        return tokens & found


def _tokens(text: str) -> Iterator[tuple[str, int, int]]:
    for found in _TOKEN.finditer(text):
        yield found[0], found.start(), found.end()


@lru_cache(maxsize=20_000)
def _pieces(token: str) -> tuple[str, ...]:
    lower = token.lower()
    if lower in _NAMED:
        return (_NAMED[lower],)
    return tuple(piece[:_LONGEST] for piece in _PIECE.findall(folded(lower)))


@lru_cache(maxsize=20_000)
def _forms_of(token: str, language: str) -> frozenset[str]:
    pieces = _pieces(token)
    forms = set(pieces)
    for piece in pieces:
        forms.update(_stems(piece, language))
    if "-" in token:
        joined = "".join(pieces)
        forms.update([joined] if len(joined) <= _LONGEST else [])
        forms.update(stem for part in token.lower().split("-") for stem in _stems(part, language))
    elif not token.isascii():
        forms.update(_stems(token.lower(), language))
    return frozenset(forms)


@lru_cache(maxsize=30_000)
def _stems(word: str, language: str) -> tuple[str, ...]:
    algorithm = _ALGORITHMS.get(language)
    if algorithm is None or len(word) > _LONGEST:
        return ()
    return tuple(_PIECE.findall(folded(_stemmer(algorithm).stemWord(word))))


def _stemmer(algorithm: str) -> snowballstemmer.stemmer:
    # A stemmer stores the word that it is working on, so each thread needs its own.
    stemmers: dict[str, snowballstemmer.stemmer] = _stemmers.__dict__.setdefault("by_algorithm", {})
    if algorithm not in stemmers:
        stemmers[algorithm] = snowballstemmer.stemmer(algorithm)
    return stemmers[algorithm]


_ONE = r"(?:[mwfdhvkxigan*]|div(?:ers(?:e)?)?)"
_PAIR = r"(?:m[/|]w|w[/|]m|m[/|]f|f[/|]m|h[/|]f|f[/|]h|m[/|]v|v[/|]m|k[/|]m|m[/|]k)"
_MARK = re.compile(
    rf"[(\[]?(?<![^\W_])(?:{_ONE}(?:\s?[/|.,·-]\s?{_ONE}){{2,4}}|{_PAIR}|[mwf] [mwf] [dxi]"
    r"|(?:for )?all genders?|(?:für )?alle geschlechter|tous genres|todos los géneros)(?![^\W_])[)\]]?",
    re.IGNORECASE,
)
_ENDING = re.compile(r"(?<=[^\W\d_]{3})[*:/_]-?in(?:nen)?\b", re.IGNORECASE)
"""Endings in German titles: Entwickler*in, Entwickler:innen."""


def without_gender_markers(text: str) -> str:
    """Return the text without these marks."""
    return _ENDING.sub(" ", _MARK.sub(" ", text))
