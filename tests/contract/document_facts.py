"""Reads the interface document's tables in the form of interface_facts.toml.

The document is not part of this repository. It is searched beside the checkout, or at INTERFACE_DOCUMENT.
"""

import os
import re
from pathlib import Path
from typing import Any

from tests.contract.markdown_tables import Table, tables
from tests.contract.shape_notation import NAMED, Notation, Shape

BESIDE = Path(__file__).parents[3] / "shared" / "tracking-service-interface.md"

Fact = dict[str, Any]


def document_here() -> Path | None:
    """Return the path of the document; None if it is missing."""
    said = os.environ.get("INTERFACE_DOCUMENT")
    return Path(said) if said else BESIDE if BESIDE.exists() else None


class Document:
    """The document, split into tables by section."""

    def __init__(self, path: Path) -> None:
        self.text = path.read_text(encoding="utf-8")
        self._tables = tables(self.text)

    def facts(self) -> dict[str, Any]:
        """Return all facts that the tests compare."""
        return {
            "operations": self._operations(),
            "parameters": self._parameters(),
            "limits": self._limits(),
            "location_of_a_new_vacancy": self._location_of_a_new_vacancy(),
            "shapes": self._shapes(),
            "resources": {f"2.{n}": self._resource(f"2.{n}") for n in range(3, 9)},
            "bodies": {section: self._body(section) for section in ("4.4", "4.5", "4.8", "4.10")},
        }

    def _resource(self, section: str) -> dict[str, Fact]:
        # A table of §2.3 to §2.8: field and shape.
        return {
            path: fact
            for cells in self._table(section).rows
            for path, fact in _flat(cells["Field"], self._shape(cells)).items()
        }

    def _shapes(self) -> dict[str, dict[str, Fact]]:
        # §2.1 and §2.2.
        found = {"Location": {c["Field"]: _fact(_words_of_a_type(c["Type"])) for c in self._table("2.1").rows}}
        for cells in self._table("2.2").rows:
            members = Notation(cells["Fields"]).members().members
            name = NAMED[cells["Shape"].split(" (")[0].lower()]
            found[name] = {path: fact for n, member in members.items() for path, fact in _flat(n, member).items()}
        return found

    def _location_of_a_new_vacancy(self) -> list[str]:
        (sentence,) = re.findall(r"sent to create a vacancy, only (.+?) are part", self.text)
        return re.findall(r"`(\w+)`", sentence)

    def _body(self, section: str) -> dict[str, Fact]:
        (table,) = [t for t in self._sections(section) if "Field" in t.rows[0]]
        return {
            path: fact
            for cells in table.rows
            for path, fact in _sent(cells["Field"].split()[-1].strip("`"), cells).items()
        }

    def _operations(self) -> dict[str, Fact]:
        found = re.findall(r"Operations (4\.\d+) to (4\.\d+) and (4\.\d+) require an API key", self.text)
        (first, last, also) = found[0]
        keyed = {f"4.{n}" for n in range(int(first[2:]), int(last[2:]) + 1)} | {also}
        headings = re.findall(r"^### (4\.\d+) (GET|POST) \{base_url\}(\S+)$", self.text, re.MULTILINE)
        return {
            section: {"method": method, "path": path, "key": section in keyed} for section, method, path in headings
        }

    def _parameters(self) -> dict[str, dict[str, Fact]]:
        # From tables, and from sentences.
        found: dict[str, dict[str, Fact]] = {}
        for section in ("4.1", "4.2"):
            (table,) = [t for t in self._sections(section) if "Query parameter" in t.rows[0]]
            for c in table.rows:
                kind, _, form = c["Type"].partition(", ")
                fact = {"type": kind, "required": c["Required"] == "yes"} | ({"format": form} if form else {})
                found.setdefault(section, {})[c["Query parameter"]] = fact
        for section, chunk in re.findall(r"^### (4\.\d+) (.+?)(?=^##|\Z)", self.text, re.MULTILINE | re.DOTALL):
            for name, kind, need in re.findall(r"^Query: `(\w+)` (\w+), (required|optional)", chunk, re.MULTILINE):
                found.setdefault(section, {})[name] = {"type": kind, "required": need == "required"}
        return found

    def _limits(self) -> list[Fact]:
        # §8.
        (table,) = self._sections("8.")
        return [
            {
                "members": [
                    name for name in re.findall(r"`(\w+)`", c["Limit"]) if f"`{name}` replaced" not in c["Limit"]
                ],
                "sections": c["Applies to"].split(", "),
                **dict(zip(("least", "most", "default"), _numbers(c["Value"]), strict=False)),
            }
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


def _flat(path: str, shape: Shape) -> dict[str, Fact]:
    view = shape.members.pop("viewType", None) if not path.startswith("viewType") else None
    own = _fact(shape)
    if view is not None:
        own |= {"type": "view", "constant": view.constant or ""}
    below = {
        inner: fact
        for name, member in shape.members.items()
        for inner, fact in _flat(f"{path}{'[]' if shape.array else ''}.{name}", member).items()
    }
    return {path: own, **below}


def _fact(shape: Shape) -> Fact:
    """Return the type if given, and values and constant if there are any."""
    kind = shape.type and ("array of " if shape.array else "") + shape.type
    said = {"type": kind, "values": shape.values or None, "constant": shape.constant}
    return {name: value for name, value in said.items() if value is not None}


def _sent(name: str, cells: dict[str, str]) -> dict[str, Fact]:
    kind, nullable = re.subn(r",? or null$", "", cells["Type"])
    own, *below = _type_of_a_body(name, kind).items()
    own[1]["required"] = cells.get("Required", "yes") == "yes"
    if nullable:
        own[1]["null"] = True
    if bounds := _numbers(cells.get("Length", "")):
        own[1]["length"] = bounds
    return dict([own, *below])


def _type_of_a_body(name: str, kind: str) -> dict[str, Fact]:
    if "{" in kind:
        return _flat(name, Notation(kind.removeprefix("object ")).shape())
    if kind.startswith(("enum", "`")):
        return {name: {"type": "string", "values": re.findall(r"`(\w+)`", kind.split(" (", maxsplit=1)[0])}}
    if "format" in kind:
        return {name: {"type": {"URI": "uri", "e-mail": "email"}[kind.split()[1]]}}
    fact = _fact(Notation(kind.split(" (restricted", maxsplit=1)[0]).shape())
    return {name: fact | ({"restricted": True} if "restricted" in kind else {})}


def _words_of_a_type(cell: str) -> Shape:
    return Shape(cell.split(maxsplit=1)[0].rstrip(";"), values=re.findall(r"`(\w+)`", cell))


def _numbers(cell: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", cell)]
