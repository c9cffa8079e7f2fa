"""The loader script for browsers: static/js/embed.js, its few sentences in English or the language of its address.

The sentences are shown on other sites' pages when the portal is unavailable, so the script carries them; the jobs come
in the language of the surrounding page. No request header decides: one address is one script, so any cache may store
it. Comments and indentation are removed, to keep what other sites load small.
"""

import json
import re

from flask_babel import force_locale, gettext

from portal.tenants.languages import COMPLETE

PATH = "/embed.js"

_SENTENCE = re.compile(r'\b_\("([^"]+)"\)')
_COMMENT = re.compile(r"^\s*//.*\n|^\s+|\s+// [^\n\"'`]*$", re.MULTILINE)


def language_of(asked: str | None) -> str:
    """Return the language of COMPLETE that `asked` names (`?lang=de-AT`); the first, English, for anything else."""
    said = (asked or "").partition("-")[0]
    return said if said in COMPLETE else COMPLETE[0]


def in_language(source: str, tag: str) -> str:
    """Return the script with its sentences in a language of COMPLETE."""
    with force_locale(tag):
        spoken = _SENTENCE.sub(lambda found: json.dumps(gettext(found[1]), ensure_ascii=False), source)
    return _COMMENT.sub("", spoken.replace("LANG = _()", f"LANG = {json.dumps(tag)}"))
