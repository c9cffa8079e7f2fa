"""Reads the tables of a Markdown file with their headings."""

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Table:
    """One table: its nearest heading without the hashes, and its rows by column."""

    heading: str
    rows: list[dict[str, str]]


def tables(text: str) -> list[Table]:
    found: list[Table] = []
    heading, head = "", []
    for line in text.splitlines():
        if line.startswith("#"):
            heading, head = line.lstrip("# "), []
        elif not line.startswith("|"):
            head = []
        elif re.fullmatch(r"[|\s:-]+", line):
            found.append(Table(heading, []))
        elif not head:
            head = _cells(line)
        else:
            found[-1].rows.append(dict(zip(head, _cells(line), strict=True)))
    return found


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.strip().strip("|").split("|")]
