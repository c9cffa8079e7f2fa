"""Where somebody came from, as the address that they followed says: handed on to their form, and kept with what they
send.

A kept page is the same for everyone, so it knows nothing of it: a script hands it on from page to page, and without
one the form's own address counts. What is too long or not clean is left out without a word: it is nobody's fault who
applies.
"""

from collections.abc import Mapping

from portal.web.fields import text
from portal.web.fields.refusal import Refused

NAMES = ("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "gh_src", "ref", "source")
LONGEST = 200
"""Characters of each."""


def sources_of(given: Mapping[str, str]) -> dict[str, str]:
    """What a query or a form says of it."""
    found = {name: _clean(given[name]) for name in NAMES if name in given}
    return {name: value for name, value in found.items() if value}


def _clean(value: str) -> str:
    try:
        return text.single_line(value, longest=LONGEST)
    except Refused:
        return ""
