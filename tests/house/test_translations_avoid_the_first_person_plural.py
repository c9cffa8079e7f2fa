"""No translation uses the first person plural where English does not (docs/words.md, Voice)."""

import re
from collections.abc import Iterator

import pytest

from tools import translations

_ENGLISH = re.compile(r"\b(we|us|our|ours)\b", re.IGNORECASE)
_ARABIC_VERBS = "أسف حفظ خبر رجو رسل شكر ستخدم ستطيع طلب عالج عرض قدم قرأ تمكن تواصل عمل عتذر"
_WE = {
    "de": r"wir|uns|unser\w*",
    "fr": r"nous|notre|nos|avons|sommes|pouvons|aurons|allons|devons|faisons|ferons|\w+erons",
    "es": r"nosotr[oa]s|nos|nuestr\w+|\w+[aei]mos",
    "it": r"noi|nostr\w+|\w+iamo|\w+remo",
    "nl": r"wij|we|ons|onze",
    "pl": r"my|nam|nas|nami|nasz\w*|\w+[aeiy]my|\w+śmy",
    "ar": r"نحن|لدينا|إلينا|منا|لنا|عنا|معنا|علينا|\w{4,}نا|[وف]?س?ن(?:" + "|".join(_ARABIC_VERBS.split()) + r")\w*",
}
"""Only these languages are checked: add the words of a new language here."""
_NOT_WE = {"es": r"\w+ísimos|próximos|últimos|mínimos|máximos"}


def first_person_plural_in(tag: str, text: str) -> list[str]:
    """Return the words of a sentence in the first person plural."""
    rest = re.sub(rf"\b(?:{_NOT_WE[tag]})\b", "", text, flags=re.IGNORECASE) if tag in _NOT_WE else text
    return [found[0] for found in re.finditer(rf"\b(?:{_WE[tag]})\b", rest, re.IGNORECASE)]


def sentences(tag: str) -> Iterator[str]:
    for message in translations.read(tag):
        ids = [message.id] if isinstance(message.id, str) else list(message.id)
        if message.id and not any(map(_ENGLISH.search, ids)):
            yield from [message.string] if isinstance(message.string, str) else message.string


@pytest.mark.parametrize("tag", _WE)
def test_no_translation_uses_the_first_person_plural(tag: str):
    assert [(text, found) for text in sentences(tag) if (found := first_person_plural_in(tag, text))] == []


@pytest.mark.parametrize(
    ("tag", "text"),
    [
        ("de", "Wir haben Ihre Bewerbung erhalten."),
        ("fr", "Nous avons reçu votre candidature."),
        ("es", "Hemos recibido tu candidatura."),
        ("es", "Te avisaremos."),
        ("it", "Abbiamo ricevuto la tua candidatura."),
        ("it", "Ti avviseremo."),
        ("nl", "We hebben je sollicitatie ontvangen."),
        ("pl", "Otrzymaliśmy zgłoszenie."),
        ("pl", "Wysyłamy je w jednej."),
        ("ar", "سنرسل إليك رسالة."),
        ("ar", "استلمنا طلبك، ويمكنك الوصول إلينا."),
    ],
)
def test_the_first_person_plural_is_detected(tag: str, text: str):
    assert first_person_plural_in(tag, text)


@pytest.mark.parametrize(
    ("tag", "text"),
    [("es", "Los próximos pasos"), ("it", "Non ci sono posizioni"), ("ar", "نموذجك نفسه، في نظام تتبّع")],
)
def test_similar_words_are_accepted(tag: str, text: str):
    assert not first_person_plural_in(tag, text)
