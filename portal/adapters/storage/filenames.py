"""Names of uploaded files, for display only: keys in the storage are never derived from them."""

import re
import unicodedata
from urllib.parse import quote

from portal.platform.crypto.normal_forms import composed, taken_apart

_MAX_BYTES = 150
_READ = 2_000
"""Characters of a name that are examined: more than file systems allow, and more than is kept."""
_JOINERS = "\u200c\u200d"  # invisible, but Persian and Indic words are misspelt without them
_NOT_IN_NAMES = re.compile(r'["<>|:*?%;]')
_DROPPED = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def clean_filename(raw: str, extension: str) -> str:
    """Return a name without path, control characters, bidirectional overrides or characters that file systems reject.

    It ends in `.{extension}`, the true one; it has at most 150 bytes of UTF-8 and is never empty.
    """
    name = composed(re.split(r"[/\\]", raw)[-1][:_READ])
    kept = "".join(ch for ch in name if ch in _JOINERS or ch in "\t\n" or unicodedata.category(ch) not in _DROPPED)
    stem = re.sub(r"\s+", " ", _NOT_IN_NAMES.sub("_", kept)).strip(" ._" + _JOINERS)
    ending = f".{extension}"
    if stem.casefold().endswith(ending):
        stem = stem[: -len(ending)].rstrip(" ._")
    if stem.casefold() == extension:  # the name was only an extension
        stem = ""
    short = stem.encode()[: _MAX_BYTES - len(ending)].decode("utf-8", "ignore").rstrip(" ._" + _JOINERS)
    return (short or "cv") + ending


def content_disposition(filename: str) -> str:
    """Return the header for downloading under a cleaned name: RFC 6266, with RFC 8187 for non-ASCII characters."""
    ascii_name = taken_apart(filename).encode("ascii", "ignore").decode()
    fallback = re.sub(r"[^\w .()+,=@\-]", "_", ascii_name).strip()
    if not fallback.rpartition(".")[0]:  # only the extension is left
        fallback = "cv" + fallback
    plain = f'attachment; filename="{fallback}"'
    return plain if fallback == filename else f"{plain}; filename*=UTF-8''{quote(filename, safe='')}"
