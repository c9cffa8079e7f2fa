"""Marks by which a title says that everybody is meant, and which nobody searches for: (m/w/d), f/m/x, (all genders)."""

import re

_ONE = r"(?:[mwfdhvkxigan*]|div(?:ers(?:e)?)?)"
_PAIR = r"(?:m[/|]w|w[/|]m|m[/|]f|f[/|]m|h[/|]f|f[/|]h|m[/|]v|v[/|]m|k[/|]m|m[/|]k)"
_MARK = re.compile(
    rf"[(\[]?(?<![^\W_])(?:{_ONE}(?:\s?[/|.,·-]\s?{_ONE}){{2,4}}|{_PAIR}|[mwf] [mwf] [dxi]"
    r"|(?:for )?all genders?|(?:für )?alle geschlechter|tous genres|todos los géneros)(?![^\W_])[)\]]?",
    re.IGNORECASE,
)
_ENDING = re.compile(r"(?<=[^\W\d_]{3})[*:/_]-?in(?:nen)?\b", re.IGNORECASE)
"""Of a German title: Entwickler*in, Entwickler:innen."""


def without_marks(text: str) -> str:
    """The text without them."""
    return _ENDING.sub(" ", _MARK.sub(" ", text))
