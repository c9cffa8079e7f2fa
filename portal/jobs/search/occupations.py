"""Occupations that a job title or a search names, in any language: those of ESCO, and groups of them.

Each has a token, an artificial word in the index (as in concepts.py). tools/occupations.py generates
occupations.tsv.gz: a line for each occupation and group (token, tokens of its groups, a name for each of LANGUAGES); an
empty line; a line for each label, in the form of label_key: the label, the positions of what it means, from 0.

Groups are ISCO's, and those of the most common jobs, which everyday words name: "nurse" is no occupation of ESCO, but
a group of several.
"""

import gzip
import re
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache
from hashlib import blake2b
from importlib.resources import files

from portal.jobs.search.folding import folded
from portal.jobs.text.language import UNIMPORTANT

FILE = "occupations.tsv.gz"
LANGUAGES = ("en", "de", "fr", "es", "it", "nl", "pl", "ar")
LONGEST = 8
"""The largest number of words of a label that is found inside a longer title."""
OCCUPATION, GROUP = "0o", "0f"
"""Prefixes of tokens. None is a prefix of a token of concepts.py, or of a tenant's scope_word."""
_PIECE = re.compile(r"[a-z0-9]+")
_MARK = re.compile(r"[,:;|/()\[\]–—]|\s-\s")
_OTHER_ENDING = re.compile(r"(?<=\w)\([^\W\d]{1,4}\)")
"""Ending of a second gender: ingénieur(e), Verkäufer(in)."""
_TITLE_WORDS = 40
_ENDING_LEAST = 5


def in_title(title: str) -> set[str]:
    """Return the tokens of the occupations that a job title names, and of their groups."""
    table, whole = _loaded(), _words(title)[:_TITLE_WORDS]
    parts = [whole] if table.meant(whole) else [_words(part)[:_TITLE_WORDS] for part in _apart(title)]
    named = {position for part in parts for words in _longest(part) for position in table.meant(words)}
    return {token for position in named for token in table.with_groups(position)}


def tokens(name: Sequence[str]) -> frozenset[str]:
    """Return the tokens of the occupations and groups that these words, of a search, name; none for most words."""
    return _tokens(tuple(name))


def name_of(token: str, language: str) -> str:
    """Return the name of an occupation or group in a language, else in English; "" for other tokens."""
    return _loaded().name(token, language)


def preload() -> None:
    """Load the table, which takes a moment in the first search that needs it."""
    _loaded()


def most_specific(found: Iterable[str]) -> str:
    """Return one of several tokens: a common job before an occupation of ESCO, a group of ISCO last."""
    return min(
        found, key=lambda token: (token.startswith(GROUP) and token[2:].isdigit(), token.startswith(OCCUPATION), token)
    )


@cache
def table_version() -> str:
    """Return a hash of the table: other labels index other tokens."""
    return blake2b(_packed(), digest_size=8).hexdigest()


def label_key(words: Iterable[str]) -> str:
    """Return the form in which labels are compared: stems, without small words, in alphabetical order.

    words: folded. Gender, number and order of words make no difference: "Lehrerinnen" is "lehrer".
    """
    telling = {_stem(word) for word in words if len(word) > 1 and word not in UNIMPORTANT}
    return " ".join(sorted(telling))


def words_of_label(text: str) -> list[str]:
    """Return the folded words of a text."""
    return _PIECE.findall(folded(text))


def _stem(word: str) -> str:
    """Return a word without the commonest endings of gender and number in the languages of the table."""
    if len(word) > 8 and word.endswith("innen"):
        word = word[:-5]
    elif len(word) > 5 and word.endswith("in"):
        word = word[:-2]
    if len(word) > 6 and word.endswith("en"):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    return word[:-1] if len(word) > 5 and word[-1] in "aeio" else word


def _words(text: str) -> list[str]:
    return [word for word in words_of_label(text) if len(word) > 1 and word not in UNIMPORTANT]


def _apart(title: str) -> list[str]:
    """Return the parts between punctuation marks, because the name of an occupation contains none."""
    return _MARK.split(_OTHER_ENDING.sub("", title))


def _longest(words: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Yield the parts of a title that name an occupation: all of it, else the longest parts that do not overlap."""
    table, rest = _loaded(), [tuple(words)]
    for size in [len(words), *range(min(LONGEST, len(words) - 1), 0, -1)]:
        following: list[tuple[str, ...]] = []
        for part in rest:
            start = 0
            for at in range(len(part) - size + 1):
                if at >= start and table.meant(part[at : at + size]):
                    yield part[at : at + size]
                    following.append(part[start:at])
                    start = at + size
            following.append(part[start:])
        rest = [part for part in following if part]


@lru_cache(maxsize=10_000)
def _tokens(name: tuple[str, ...]) -> frozenset[str]:
    table = _loaded()
    return frozenset(table.token(position) for position in table.meant(name))


class _Table:
    """The file's content, searched as text by the hashes of its labels."""

    def __init__(self, text: bytes) -> None:
        rows, _, self._labels = text.partition(b"\n\n")
        self._rows = rows.split(b"\n")
        self._positions = {row.split(b"\t", 1)[0].decode(): position for position, row in enumerate(self._rows)}
        starts = [0, *(found.end() for found in re.finditer(b"\n", self._labels))][:-1]
        known = sorted((hash(self._labels[start : self._labels.index(b"\t", start)]), start) for start in starts)
        self._hashes = array("q", (each for each, _ in known))
        self._starts = array("i", (start for _, start in known))

    def meant(self, words: Sequence[str]) -> list[int]:
        """Return the positions of what a label means: of the words, else of the end of a long single one."""
        found = self._labelled(label_key(words))
        return found or (self._by_ending(words[0]) if len(words) == 1 else [])

    def _by_ending(self, word: str) -> list[int]:
        """Return the group that the end of a compound names: "Kinderkrankenschwester" is a "Krankenschwester"."""
        key = _stem(word)
        for start in range(3, len(key) - _ENDING_LEAST + 1):
            groups = [each for each in self._labelled(key[start:]) if self.token(each).startswith(GROUP)]
            if groups:
                return groups
        return []

    def _labelled(self, key: str) -> list[int]:
        wanted = f"{key}\t".encode()
        at = bisect_left(self._hashes, wanted_hash := hash(wanted[:-1]))
        while at < len(self._hashes) and self._hashes[at] == wanted_hash:
            start = self._starts[at]
            if self._labels.startswith(wanted, start):
                end = self._labels.index(b"\n", start)
                return [int(position) for position in self._labels[start + len(wanted) : end].split()]
            at += 1
        return []

    def token(self, position: int) -> str:
        return self._rows[position].split(b"\t", 1)[0].decode()

    def with_groups(self, position: int) -> list[str]:
        token, groups, _ = self._rows[position].decode().split("\t", 2)
        return [token, *groups.split()]

    def name(self, token: str, language: str) -> str:
        position = self._positions.get(token)
        if position is None:
            return ""
        names = dict(zip(LANGUAGES, self._rows[position].decode().split("\t")[2:], strict=True))
        return names.get(language) or names["en"]


def _packed() -> bytes:
    return (files("portal.jobs.search") / FILE).read_bytes()


@cache
def _loaded() -> _Table:
    return _Table(gzip.decompress(_packed()))
