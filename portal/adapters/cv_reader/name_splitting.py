"""A full name → given and family name, which the form has as separate fields."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from portal.adapters.cv_reader import vocabulary
from portal.adapters.cv_reader.vocabulary import plain

_ARABIC = re.compile("[\u0600-\u06ff]")
_JOINED_WITH_NEXT = frozenset({"عبد", "أبو", "ابو"})
"""Words that form one name with the word that follows."""


@dataclass(frozen=True, slots=True)
class PersonName:
    """A name as a person would type it into a form."""

    given: str
    family: str


def split(
    words: Sequence[str],
    addresses: Sequence[str],
    *,
    spanish: bool = False,
    family_first: bool = False,
    label_family_first: bool = False,
) -> PersonName | None:
    """Return given and family name; None for a single word, or if the order is uncertain.

    family_first: a comma showed that the family name came first, and the words are in given-name-first order already.
    label_family_first: the label says that the family name comes first.
    """
    if len(words) < 2:
        return None
    if _ARABIC.search(words[0]):
        return _arabic(words)
    at = _by_capitals(words)
    if at is not None:
        given, family = at
    elif label_family_first:
        is_family_first = _is_family_name_first(words, addresses)
        if is_family_first is None:
            return None
        cut = _cut(words, addresses, spanish=spanish)
        given, family = (words[1:], words[:1]) if is_family_first else (words[:cut], words[cut:])
    else:
        cut = _cut(words, addresses, spanish=spanish)
        given, family = words[:cut], words[cut:]
    if all(word.isupper() for word in words) and _is_family_name_first(words, addresses):
        return None  # capitals as in LEFEVRE CAMILLE, or an email address with the names in the opposite order
    if family_first and plain(words[-1]) in vocabulary.PARTICLES:
        return None
    italian = any(address.endswith(".it") for address in addresses[:1])
    return PersonName(
        " ".join(_cased(word) for word in given),
        " ".join(_cased(word, spanish=spanish, italian=italian) for word in family),
    )


def _by_capitals(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str]] | None:
    """Split by capitals: Jean DUPONT, and DUPONT Jean."""
    in_capitals = [word.isupper() and len(word.strip(".")) > 1 for word in words]
    if all(in_capitals) or not any(in_capitals):
        return None
    if in_capitals[-1] and not in_capitals[0]:
        at = in_capitals.index(True)
        while at > 1 and plain(words[at - 1]) in vocabulary.PARTICLES:
            at -= 1
        return words[:at], words[at:]
    if in_capitals[0] and not in_capitals[-1]:
        at = in_capitals.index(False)
        return words[at:], words[:at]
    return None


def _cut(words: Sequence[str], addresses: Sequence[str], *, spanish: bool) -> int:
    """Return how many words are given names."""
    for at in range(1, len(words) - 1):
        if words[at] in ("i", "y", "e") and spanish:
            return max(1, at - 1)
        if plain(words[at]) in vocabulary.PARTICLES:
            if spanish and at == 1 and any(plain(word) in vocabulary.SECOND_GIVEN for word in words[2:4]):
                continue
            return at - 1 if spanish and at > 1 else at
    for address in addresses[:1]:
        if (cut := _last_in_address(words, address)) is not None:
            return cut
    if spanish and len(words) == 3:
        return 2 if plain(words[1]) in vocabulary.SECOND_GIVEN else 1
    if spanish and len(words) >= 4:
        return len(words) - 2
    return len(words) - 1


def _last_in_address(words: Sequence[str], address: str) -> int | None:
    """Return 1 if the address shows where the family name begins: maria.garcia@ for María García López; else None."""
    parts = [part for part in re.split(r"[^a-z]+", plain(address.partition("@")[0])) if part]
    if len(parts) != 2 or len(words) != 3 or plain(words[0]) not in parts:
        return None
    other = parts[1 - parts.index(plain(words[0]))]
    if other == plain(words[1]) and len(other) > 3 and plain(words[1]) not in vocabulary.SECOND_GIVEN:
        return 1
    return None


def _is_family_name_first(words: Sequence[str], addresses: Sequence[str]) -> bool | None:
    """Return whether the family name comes first, according to an email address; None if no address shows it."""
    for address in addresses[:1]:
        local = re.sub(r"[^a-z]", "", plain(address.partition("@")[0]))
        first, last = plain(words[0]).replace("-", ""), plain(words[-1]).replace("-", "")
        if local.startswith(first) or local == first[:1] + last:
            return False
        if local.startswith(last) or local == last[:1] + first:
            return True
    return None


def _arabic(words: Sequence[str]) -> PersonName:
    at = 2 if words[0] in _JOINED_WITH_NEXT and len(words) > 2 else 1
    return PersonName(" ".join(words[:at]), " ".join(words[at:]))


def _cased(word: str, *, spanish: bool = False, italian: bool = False) -> str:
    if spanish and word in ("I", "Y", "E"):
        return word.lower()
    if not word.isupper() or len(word.strip(".")) == 1:
        return word
    if (plain(word) in vocabulary.PARTICLES and not italian) or word in ("'T", "’T"):
        return word.lower()
    return re.sub(r"[^\W\d_]+", lambda m: m[0].capitalize(), word)
