"""What the interface document's own tables say, as rows. The document is not part of this repository."""

import re
from pathlib import Path

from tests.contract.markdown_tables import Table, tables
from tests.contract.shape_notation import Notation, Shape

DOCUMENT = Path(__file__).parents[3] / "shared" / "tracking-service-interface.md"
ABSENT = "the interface document is not here: put it at ../shared/tracking-service-interface.md beside the checkout"

Facts = dict[str, tuple[str | None, frozenset[str], str | None]]
"""Path of a member → its type (None: only named), its values, its viewType constant ("" when none is given)."""


class Document:
    """The document, cut into tables by section."""

    def __init__(self) -> None:
        self.text = DOCUMENT.read_text(encoding="utf-8")
        self._tables = tables(self.text)

    def resource(self, section: str) -> Facts:
        """A table of §2.3 to §2.8: field and shape."""
        return {
            path: fact
            for cells in self._table(section).rows
            for path, fact in _flat(cells["Field"], self._shape(cells)).items()
        }

    def shared_shapes(self) -> dict[str, Facts]:
        """§2.1 and §2.2 by their names in the document."""
        location = {c["Field"]: _fact(_words_of_a_type(c["Type"])) for c in self._table("2.1").rows}
        found = {"Location": location}
        for cells in self._table("2.2").rows:
            name = cells["Shape"].split(" (")[0]
            members = Notation(cells["Fields"]).members().members
            found[name] = {p: f for n, member in members.items() for p, f in _flat(n, member).items()}
        return found

    def restricted_location(self) -> list[str]:
        """§2.1: what of a location is sent with a new vacancy."""
        (sentence,) = re.findall(r"sent to create a vacancy, only (.+?) are part", self.text)
        return re.findall(r"`(\w+)`", sentence)

    def body(self, section: str) -> list[dict[str, str]]:
        """The rows of a body's table."""
        (table,) = [t for t in self._sections(section) if "Field" in t.rows[0]]
        return table.rows

    def operations(self) -> dict[str, tuple[str, str, str]]:
        """Section → method, path, key."""
        (first, last, also) = re.findall(r"Operations (4\.\d+) to (4\.\d+) and (4\.\d+) require an API key", self.text)[
            0
        ]
        keyed = {f"4.{n}" for n in range(int(first[2:]), int(last[2:]) + 1)} | {also}
        found = re.findall(r"^### (4\.\d+) (GET|POST) \{base_url\}(\S+)$", self.text, re.MULTILINE)
        return {section: (method, path, "yes" if section in keyed else "no") for section, method, path in found}

    def parameters(self) -> dict[tuple[str, str], tuple[str, str, str]]:
        """Section and name → type, format, required: from tables and from sentences."""
        found: dict[tuple[str, str], tuple[str, str, str]] = {}
        for section in ("4.1", "4.2"):
            (table,) = [t for t in self._sections(section) if "Query parameter" in t.rows[0]]
            for c in table.rows:
                kind, _, form = c["Type"].partition(", ")
                found[section, c["Query parameter"]] = (kind, form, c["Required"])
        for section, chunk in re.findall(r"^### (4\.\d+) (.+?)(?=^##|\Z)", self.text, re.MULTILINE | re.DOTALL):
            for name, kind, need in re.findall(r"^Query: `(\w+)` (\w+), (required|optional)", chunk, re.MULTILINE):
                found[section, name] = (kind, "", "yes" if need == "required" else "no")
        return found

    def limits(self) -> list[tuple[set[str], set[str], list[int]]]:
        """§8: names, sections, numbers."""
        (table,) = self._sections("8.")
        return [
            (set(re.findall(r"`(\w+)`", c["Limit"])), set(c["Applies to"].split(", ")), _numbers(c["Value"]))
            for c in table.rows
        ]

    def _shape(self, cells: dict[str, str]) -> Shape:
        shape = cells.get("Shape") or cells["Type"]
        if earlier := re.fullmatch(r"same object as in (2\.\d)", shape):
            (shape,) = [c["Shape"] for c in self._table(earlier[1]).rows if c["Field"] == cells["Field"]]
        return Notation(shape).shape()

    def _table(self, section: str) -> Table:
        (table,) = self._sections(section)
        return table

    def _sections(self, section: str) -> list[Table]:
        return [table for table in self._tables if table.heading.startswith(f"{section} ")]


def _flat(path: str, shape: Shape) -> Facts:
    view = shape.members.pop("viewType", None) if not path.startswith("viewType") else None
    own = _fact(shape)
    if view is not None:
        own = ("view", own[1], view.constant or "")
    below = {
        inner: fact
        for name, member in shape.members.items()
        for inner, fact in _flat(f"{path}{'[]' if shape.array else ''}.{name}", member).items()
    }
    return {path: own, **below}


def _fact(shape: Shape) -> tuple[str | None, frozenset[str], str | None]:
    kind = shape.type and ("array of " if shape.array else "") + shape.type
    return kind, frozenset(shape.values), shape.constant


def _words_of_a_type(cell: str) -> Shape:
    return Shape(cell.split(maxsplit=1)[0].rstrip(";"), values=re.findall(r"`(\w+)`", cell))


def _numbers(cell: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", cell)]
