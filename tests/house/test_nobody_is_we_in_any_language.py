"""No language says "we" where English does not (docs/words.md, Voice)."""

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
"""Only these languages are checked: whoever adds one adds its words."""
_NOT_WE = {"es": r"\w+ísimos|próximos|últimos|mínimos|máximos"}


def we_in(tag: str, text: str) -> list[str]:
    """Words of a sentence that only who says "we" says."""
    rest = re.sub(rf"\b(?:{_NOT_WE[tag]})\b", "", text, flags=re.IGNORECASE) if tag in _NOT_WE else text
    return [found[0] for found in re.finditer(rf"\b(?:{_WE[tag]})\b", rest, re.IGNORECASE)]


def sentences(tag: str) -> Iterator[str]:
    for message in translations.read(tag):
        ids = [message.id] if isinstance(message.id, str) else list(message.id)
        if message.id and not any(map(_ENGLISH.search, ids)):
            yield from [message.string] if isinstance(message.string, str) else message.string


@pytest.mark.parametrize("tag", _WE)
def test_no_translation_says_we(tag: str):
    assert [(text, found) for text in sentences(tag) if (found := we_in(tag, text))] == []


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
def test_what_says_we_is_found(tag: str, text: str):
    assert we_in(tag, text)


@pytest.mark.parametrize(
    ("tag", "text"),
    [("es", "Los próximos pasos"), ("it", "Non ci sono posizioni"), ("ar", "نموذجك نفسه، في نظام تتبّع")],
)
def test_what_says_nothing_of_the_kind_is_left_alone(tag: str, text: str):
    assert not we_in(tag, text)
