"""Keep the code the only run of exactly eight digits in an email's text part, so that software recognises it."""

import re
from functools import partial

_RUN = re.compile(r"(?<!\d)\d{8}(?!\d)")
"""Digits of any script: the reader's software decides what it takes for a code."""
_LINK = re.compile(r"(?P<origin>(?<![a-z])[a-z]+://[^/\s]*)(?P<path>\S*)")


def alone(text: str, code: str | None) -> str:
    """Return the text with no run of eight digits except the code, which is on a line of its own.

    Other runs, as in a company's name, are split visibly: "1234 5678". In the path of a link one digit is written as
    %3X, which leads to the same place (RFC 3986 §6.2.2.2). A host cannot be written differently: it stays as it is if
    the text contains no code that it could be mistaken for.
    """
    lines = text.splitlines(keepends=True)
    return "".join(line if line.strip() == code else _without_runs(line, keep_hosts=code is None) for line in lines)


def _without_runs(line: str, *, keep_hosts: bool) -> str:
    pieces, end = [], 0
    for link in _LINK.finditer(line):
        origin = link["origin"] if keep_hosts else _spaced(link["origin"])
        pieces += [_spaced(line[end : link.start()]), origin, _RUN.sub(_escaped, link["path"])]
        end = link.end()
    return "".join([*pieces, _spaced(line[end:])])


def _escaped(run: re.Match[str]) -> str:
    return f"{run[0][:4]}%{ord(run[0][4]):X}{run[0][5:]}" if run[0].isascii() else _halves(run)


def _halves(run: re.Match[str]) -> str:
    return f"{run[0][:4]} {run[0][4:]}"


_spaced = partial(_RUN.sub, _halves)
