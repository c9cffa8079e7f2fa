"""Where a candidate came from: the parameters that links from job boards and campaigns carry."""

from collections.abc import Mapping

from portal.site.forms.fields import text
from portal.site.forms.fields.refusal import Refused

SOURCE_PARAMETERS = ("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "gh_src", "ref", "source")
_LONGEST = 200
"""Characters of each value."""


def sources_of(given: Mapping[str, str]) -> dict[str, str]:
    """Return the source parameters of a query or a form."""
    found = {name: _clean(given[name]) for name in SOURCE_PARAMETERS if name in given}
    return {name: value for name, value in found.items() if value}


def _clean(value: str) -> str:
    try:
        return text.single_line(value, longest=_LONGEST)
    except Refused:
        return ""
