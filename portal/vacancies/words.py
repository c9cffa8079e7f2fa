"""Text → the normalised words that are indexed and searched for; and back to where they stand in the original.

A word is indexed as it is written without accents, and by its stems in the text's language, of the word with its
accents and without: people type either. Both databases hold the same words, so both find the same postings.
"""

import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import snowballstemmer

from portal.vacancies.folding import folded
from portal.vacancies.language import UNIMPORTANT

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
    """One word that a posting must have: any of `forms`, or one that begins with `prefix`."""

    word: str
    forms: frozenset[str]
    prefix: str | None = None

    def meets(self, forms: Iterable[str]) -> bool:
        """Whether a word with these forms is meant."""
        if not self.forms.isdisjoint(forms):
            return True
        return self.prefix is not None and any(form.startswith(self.prefix) for form in forms)


def words_of(text: str, language: str) -> set[str]:
    """Every form of every word; each is a-z and 0-9, 1 to 40 long."""
    found: set[str] = set()
    for token in set(_TOKEN.findall(text)):
        found.update(_forms_of(token, language))
        if len(found) > _MOST_WORDS:
            break
    return found


def plain_words_of(text: str) -> set[str]:
    """The words without their stems: what people may have meant to type."""
    return {piece for token in set(_TOKEN.findall(text)) for piece in _pieces(token)}


def terms_of(text: str, languages: Iterable[str]) -> list[Term]:
    """What is searched for, at most 12 words; the last may be unfinished. languages: of the postings searched."""
    pieces = [piece for token, _, _ in _tokens(text) for piece in _pieces(token)]
    wanted = list(dict.fromkeys(pieces))[:_MOST_TERMS]
    telling = [word for word in wanted if word not in UNIMPORTANT] or wanted
    spoken = tuple(sorted(set(languages)))
    unfinished = wanted[-1] if wanted and not text[-1:].isspace() else None
    accented = {folded(token): token.lower() for token, _, _ in _tokens(text)}
    return [term(word, spoken, accented.get(word, word), unfinished=word == unfinished) for word in telling]


def term(word: str, languages: Iterable[str], accented: str | None = None, *, unfinished: bool = False) -> Term:
    """One word to search for, in the forms that it has in any of the languages."""
    forms = {word}
    for language in languages:
        forms.update(_stems(word, language))
        forms.update(_stems(accented or word, language))
    return Term(word, frozenset(forms), word if unfinished and len(word) > 1 else None)


class Marker:
    """Finds terms in texts; it remembers tokens, because the texts of one list have many in common."""

    def __init__(self, terms: Sequence[Term]) -> None:
        self._terms = terms
        self._known: dict[tuple[str, str], bool] = {}

    def marks(self, text: str, language: str) -> Iterator[tuple[int, int]]:
        """Where `text` has any of the terms: (start, end) in code points, in order, found as they are asked for."""
        for token, start, end in _tokens(text) if self._terms else ():
            means = self._known.get((token, language))
            if means is None:
                forms = _forms_of(token, language)
                means = self._known[token, language] = any(term.meets(forms) for term in self._terms)
            if means:
                yield start, end


def _tokens(text: str) -> Iterator[tuple[str, int, int]]:
    for found in _TOKEN.finditer(text):
        yield found[0], found.start(), found.end()


@lru_cache(maxsize=20_000)
def _pieces(token: str) -> tuple[str, ...]:
    lower = token.lower()
    if lower in _NAMED:
        return (_NAMED[lower],)
    return tuple(piece for piece in _PIECE.findall(folded(lower)) if len(piece) <= _LONGEST)


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
    # A stemmer keeps the word it works on in itself, so each thread has its own.
    kept: dict[str, snowballstemmer.stemmer] = _stemmers.__dict__.setdefault("by_algorithm", {})
    if algorithm not in kept:
        kept[algorithm] = snowballstemmer.stemmer(algorithm)
    return kept[algorithm]
