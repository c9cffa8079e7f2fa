"""The loader as a browser gets it: static/js/embed.js with its few sentences in the browser's language.

They stand in pages of others when ours cannot be reached, so the loader brings them; the jobs themselves come in the
language of the page around. Comments and indentation stay behind: what a page of others loads first is small.
"""

import json
import re

from flask_babel import force_locale, gettext

_SENTENCE = re.compile(r'\b_\("([^"]+)"\)')
_COMMENT = re.compile(r"^\s*//.*\n|^\s+|\s+// [^\n\"'`]*$", re.MULTILINE)


def in_language(source: str, tag: str) -> str:
    """The script with its words in one of COMPLETE."""
    with force_locale(tag):
        spoken = _SENTENCE.sub(lambda found: json.dumps(gettext(found[1]), ensure_ascii=False), source)
    return _COMMENT.sub("", spoken.replace("LANG = _()", f"LANG = {json.dumps(tag)}"))
