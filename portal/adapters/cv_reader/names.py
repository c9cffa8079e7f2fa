"""Finds the candidate's name: by a label, or where several clues agree."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from portal.adapters.cv_reader import vocabulary
from portal.adapters.cv_reader.name_splitting import PersonName, split
from portal.adapters.cv_reader.sections import CvSection, SectionedLine, heading
from portal.adapters.cv_reader.vocabulary import plain

_WORD = re.compile(r"[^\W\d_]+(?:['’.-][^\W\d_]+)*\.?|['’][tT]")
_TWO_LETTERS = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "å": "aa", "ø": "oe", "æ": "ae"})
_MAX_LINES = 60
_MIN_SCORE = 3
_VOWELS = re.compile("[aeiouyw'`\\W]+")


@dataclass(frozen=True, slots=True)
class _Candidate:
    words: tuple[str, ...]
    line: int
    size: float
    comma: bool = False


def name(lines: list[SectionedLine], addresses: Sequence[str], author: str) -> PersonName | None:
    """Return the candidate's name; None if it is uncertain. addresses: email addresses that may be the candidate's."""
    own = [line for line in lines[:120] if line.section is not CvSection.REFERENCES]
    spanish = any(_is_spanish(line) for line in lines[:120])
    if labelled := _labelled(own, addresses, spanish=spanish):
        return labelled
    candidates = list(_candidates(own[:_MAX_LINES]))
    largest = max((line.size for line in own), default=0.0)
    ordinary = sorted(line.size for line in own)[len(own) // 2] if own else 0.0
    first = min((c.line for c in candidates), default=0)
    best: tuple[int, int, _Candidate] | None = None
    for candidate in candidates:
        stands_out = candidate.size == largest and largest > 1.15 * ordinary
        score = (3 if largest > 1.5 * ordinary else 2) * stands_out
        if candidate.line == first and candidate.line < 6:
            score += 2 if largest > 1.15 * ordinary and not stands_out else 3
        score += agreement(candidate.words, addresses)
        score += 2 * (bool(author) and _key(author.split()) == _key(candidate.words))
        score -= 2 * (candidate.line > 20) + 2 * (own[0].section is CvSection.HISTORY)
        if best is None or (score, -candidate.line) > best[:2]:
            best = (score, -candidate.line, candidate)
    if best is None or best[0] < _MIN_SCORE:
        return None
    return split(best[2].words, addresses, spanish=spanish, family_first=best[2].comma)


def agreement(words: Sequence[str], addresses: Sequence[str]) -> int:
    """Return how well an email address matches the name: from -2, if it clearly names somebody else, to 4."""
    scores = []
    for address in addresses[:3]:
        local, _, domain = address.partition("@")
        own_domain = any(len(v) >= 4 and v in plain(domain) for word in words for v in variants(word))
        scores.append(max(_agrees(words, local), 2 * own_domain))
    return max(scores, default=0)


def _agrees(words: Sequence[str], local: str) -> int:
    parts = [part for part in re.split(r"[^a-z]+", plain(local)) if part]
    joined = "".join(parts)
    hits = [word for word in words if any(len(v) >= 3 and v in joined for v in variants(word))]
    if not hits and any("\u0600" <= char <= "\u06ff" for word in words for char in word):
        consonants = _VOWELS.sub("", joined)
        hits = [word for word in words if len(b := _VOWELS.sub("", plain(word))) >= 2 and b in consonants]
    if len(hits) >= 2:
        return 4
    if hits:
        return 3 if len(plain(hits[0])) >= 4 else 2
    return -2 if sum(len(part) >= 4 for part in parts) >= 2 else 0


def variants(word: str) -> set[str]:
    """Return forms of a word that are usual in addresses: ü becomes u or ue."""
    bare = re.sub(r"[^\w]", "", word.lower())
    german = bare.translate(_TWO_LETTERS)
    parts = [plain(part) for part in re.split(r"['’-]", word) if len(part) > 3]
    return {plain(bare), plain(german), *parts}


def _key(words: Sequence[str]) -> frozenset[str]:
    return frozenset(plain(word) for word in words)


def _is_spanish(line: SectionedLine) -> bool:
    return plain(re.split(r"[:|]", line.text)[0].strip(" .•")) in vocabulary.SPANISH


def _candidates(lines: list[SectionedLine]) -> Iterator[_Candidate]:
    for at, line in enumerate(lines):
        if line.heading:
            continue
        for piece in re.split(r"\s[|•·/–—-]\s|[|•·]|;", _without_letter_spacing(line.text))[:4]:
            comma = re.split(r"\s*,\s*", piece.strip())
            if words := name_words(comma[0]):
                yield _Candidate(words, line.number, line.size)
            if len(comma) == 2 and (one := name_words(comma[0], least=1)) and (two := name_words(comma[1], least=1)):
                yield _Candidate((*two, *one), line.number, line.size, comma=True)
        after = lines[at + 1] if at + 1 < len(lines) else None
        if after and not after.heading and line.size == after.size:
            one, two = name_words(line.text, least=1), name_words(after.text, least=1)
            if one and two and len(one) + len(two) <= 5 and (len(one) == 1 or len(two) == 1):
                yield _Candidate((*one, *two), line.number, line.size)


def name_words(text: str, *, least: int = 2) -> tuple[str, ...]:
    """Return the words of a text that may be a name, without titles; () if it cannot be a name."""
    text = re.sub(r"\([^)]{0,40}\)", " ", text).strip(" .,:•-–—|*_")
    if len(text) > 60 or any(char.isdigit() or char in '@/\\&+=<>[]{}!?%"„“' for char in text):
        return ()
    words = _without_titles(text.split())
    if not least <= len(words) <= 6 or heading(" ".join(words)):
        return ()
    if any(not _WORD.fullmatch(word) for word in words) or _is_no_name(words):
        return ()
    main_words = [word for word in words if plain(word) not in vocabulary.PARTICLES]
    if (
        not main_words
        or any(word[0].islower() for word in main_words)
        or (least > 1 and sum(len(w) > 1 for w in words) < 2)
    ):
        return ()
    return tuple(words)


def _is_no_name(words: list[str]) -> bool:
    if plain(" ".join(words)) in vocabulary.TITLES_OF_A_CV:
        return True
    return any(plain(part) in vocabulary.NO_NAMES for word in words for part in (word, *word.split("-")))


def _without_letter_spacing(text: str) -> str:
    """Join spaced letters: A N N A  M A Y → ANNA MAY."""
    if not re.search(r"(?:\b\w ){3}", text):
        return text
    parts = re.split(r"\s{2,}", text)
    return " ".join(part.replace(" ", "") if re.fullmatch(r"(?:[\w.,'’-] ?){2,}", part) else part for part in parts)


def _without_titles(words: list[str]) -> list[str]:
    for length in (3, 2, 1):
        if len(words) > length and plain(" ".join(words[:length])).strip(" :-") in vocabulary.TITLES_OF_A_CV:
            words = words[length:]
            break
    if len(words) > 2 and plain(words[0]) in ("of", "von", "de", "di") and words[0].islower():
        words = words[1:]
    while words and _is_title(words[0]):
        words = words[1:]
    while words and _is_title(words[-1]):
        words = words[:-1]
    return [word.rstrip(",") for word in words if word not in "-–—:"]


def _is_title(word: str) -> bool:
    return plain(word.strip(",")) in vocabulary.HONORIFICS or word in ("د.", "م.", "أ.")


def _labelled(lines: list[SectionedLine], addresses: Sequence[str], *, spanish: bool) -> PersonName | None:
    given = _value(lines, vocabulary.GIVEN_LABELS)
    family = _value(lines, vocabulary.FAMILY_LABELS)
    if given and family:
        return PersonName(" ".join(map(cased, given)), " ".join(map(cased, family)))
    for labels, is_family_first in ((vocabulary.FAMILY_FIRST_LABELS, True), (vocabulary.NAME_LABELS, False)):
        if full := _value(lines, labels):
            return (
                split(full, addresses, spanish=spanish, label_family_first=is_family_first) if len(full) > 1 else None
            )
    one = given or family
    return split(one, (), spanish=spanish) if one and len(one) > 1 else None


def cased(word: str) -> str:
    """Return a word in capitals with only its first letter capital: ANNA → Anna."""
    return word.title().replace("’S", "’s") if word.isupper() and len(word) > 1 else word


def _value(lines: list[SectionedLine], labels: frozenset[str]) -> tuple[str, ...]:
    for at, line in enumerate(lines[:_MAX_LINES]):
        label, mark, value = line.text.partition(":")
        if not mark:
            label, mark, value = line.text.partition("  ")
        if plain(label.strip(" *•-")) not in labels:
            label, value = _unmarked(line.text, labels)
        if not label:
            continue
        if not value.strip() and at + 1 < len(lines):
            value = lines[at + 1].text
        parts = re.split(r"\s{2,}|[|;]", value.strip())[0].split(",")
        if words := name_words(" ".join(reversed(parts)) if len(parts) == 2 else parts[0], least=1):
            return words
    return ()


def _unmarked(text: str, labels: frozenset[str]) -> tuple[str, str]:
    """Return (label, value) separated only by a space, as tables appear in a PDF's text; ("", "") if there is none."""
    if "الاسم" in labels and (match := re.match("(الاسم الكامل|الاسم)(?!اعيل)(?=\\S)", text)):
        return match[0], text[match.end() :]
    words = text.split()
    for length in range(min(4, len(words) - 1), 0, -1):
        if plain(" ".join(words[:length])) in labels and len(words) <= length + 6:
            return " ".join(words[:length]), " ".join(words[length:])
    return "", ""
