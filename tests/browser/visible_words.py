"""Finds the texts of a page or email that are not marked as another language, and the language of those texts."""

import re
from functools import cache

from playwright.sync_api import Page

from tools import translations

READ = """() => {
  const own = document.documentElement.lang, found = [document.title];
  const marked = (element) => element.closest("[lang]") && element.closest("[lang]").lang !== own;
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walk.nextNode()) {
    const parent = walk.currentNode.parentElement;
    if (parent.closest("script, style, noscript, template, code") || marked(parent)) continue;
    found.push(walk.currentNode.data);
  }
  for (const element of document.body.querySelectorAll("[title], [placeholder], [aria-label], [alt]")) {
    if (marked(element)) continue;
    for (const name of ["title", "placeholder", "aria-label", "alt"]) found.push(element.getAttribute(name) ?? "");
  }
  return found.map((text) => text.replace(/\\s+/g, " ").trim()).filter(Boolean);
}"""
_NAMES = {"acme", "robotics", "cv", "pdf", "people", "example", "word", "odt", "jpeg", "png", "webp", "rtf"}
_MONEY = {"uk", "us", "eur", "gbp", "usd", "chf", "pln"}
"""What is called the same in every language."""
_ONLY_ENGLISH = {"the", "and", "of", "you", "your", "with", "for", "this", "that", "are", "here", "there"}
_LATIN = re.compile(r"[A-Za-zÀ-ž]{2,}")
_ADDRESS = re.compile(r"\S+@\S+|https?://\S+")
_REFERENCE = re.compile(r"(?<![\w-])[\w-]{16,}(?![\w-])", re.ASCII)
_PLACE = re.compile(r"%\(\w+\)[sd]|<[^>]*>")


def said_by(page: Page) -> list[str]:
    """Return each text of the page, visible or for screen readers, that is not marked as in another language."""
    return list(page.evaluate(READ))


def foreign(texts: list[str], tag: str, names: set[str] = frozenset()) -> list[str]:
    """Return those that a reader of this language only does not understand. names: other words to allow."""
    found = []
    for text in texts:
        rest = _REFERENCE.sub(" ", _ADDRESS.sub(" ", text))
        latin = {word.lower() for word in _LATIN.findall(rest)} - _NAMES - _MONEY - names
        if (tag == "ar" and latin) or len(latin & _ONLY_ENGLISH) > 1 or _is_english(text, tag):
            found.append(text)
    return found


def _is_english(text: str, tag: str) -> bool:
    sentences, words = _english(tag)
    return text in words or any(sentence.search(text) for sentence in sentences)


@cache
def _english(tag: str) -> tuple[tuple[re.Pattern[str], ...], frozenset[str]]:
    """Return what the English catalogue looks like on a page: sentences with any values in them, and words."""
    pairs = []
    for message in translations.read(tag):
        if not message.id:
            continue
        ids = [message.id] if isinstance(message.id, str) else list(message.id)
        said = [message.string] if isinstance(message.string, str) else list(message.string)
        pairs += [(one, said) for one in ids]
    differ = [one for one, said in pairs if one not in said and re.search("[A-Za-z]{2}", _PLACE.sub("", one))]
    whole = [re.compile(_pattern(one)) for one in differ if len(_LATIN.findall(_PLACE.sub(" ", one))) > 1]
    return tuple(whole), frozenset(one for one in differ if len(one.split()) == 1)


def _pattern(sentence: str) -> str:
    pieces = [re.escape(" ".join(piece.split())) for piece in _PLACE.split(sentence)]
    longest = max(pieces, key=len)
    # Between its tags and placeholders; no single text contains the whole sentence.
    return longest if len(longest.split("\\ ")) > 2 else "^" + ".*?".join(pieces) + "$"
