"""Reads the structured data and the visible text of a page."""

import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import html5lib

from tests.parts.missing import file, program

NODE = Path(__file__).parents[2] / "node"
VOCABULARY = json.loads((Path(__file__).parent / "vocabulary.json").read_text(encoding="utf-8"))["types"]
_UNSEEN = {"script", "style", "head", "template"}
_HTML = "{http://www.w3.org/1999/xhtml}"


@dataclass
class Page:
    """A page, parsed as a browser does."""

    text: str

    def __post_init__(self) -> None:
        self.tree: Element = html5lib.HTMLParser(strict=True).parse(self.text)

    @property
    def blocks(self) -> list[dict[str, Any]]:
        """Return the JSON-LD of the page."""
        scripts = self.tree.iter(f"{_HTML}script")
        return [json.loads(one.text or "") for one in scripts if one.get("type") == "application/ld+json"]

    def block(self, kind: str) -> dict[str, Any] | None:
        found = [one for one in self.blocks if one["@type"] == kind]
        assert len(found) <= 1
        return found[0] if found else None

    @property
    def job(self) -> dict[str, Any]:
        job = self.block("JobPosting")
        assert job is not None
        return job

    @property
    def seen(self) -> str:
        """Return the visible text, with single spaces."""
        return " ".join(" ".join(_words(self.tree)).split())

    def named(self, name: str) -> list[str]:
        """Return the contents of <meta name> or <meta property>."""
        metas = self.tree.iter(f"{_HTML}meta")
        return [one.get("content") or "" for one in metas if name in {one.get("name"), one.get("property")}]

    def links(self, rel: str) -> list[dict[str, str]]:
        """Return the attributes of <link rel>."""
        return [dict(one.attrib) for one in self.tree.iter(f"{_HTML}link") if one.get("rel") == rel]

    @property
    def canonical(self) -> list[str]:
        return [one["href"] for one in self.links("canonical")]

    @property
    def title(self) -> str:
        return next(self.tree.iter(f"{_HTML}title")).text or ""


def _words(element: Element) -> Iterator[str]:
    if isinstance(element.tag, str) and element.tag.removeprefix(_HTML) not in _UNSEEN:
        yield element.text or ""
        for child in element:
            yield from _words(child)
            yield child.tail or ""


def values(node: object, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every value of a block with its path, without type names."""
    if isinstance(node, dict):
        for name, value in node.items():
            if not name.startswith("@"):
                yield from values(value, f"{path}.{name}" if path else name)
    elif isinstance(node, list):
        for value in node:
            yield from values(value, path)
    else:
        yield path, node


def adobe(*pages: str) -> list[dict[str, Any]]:
    """Return the findings of Adobe's validator for each page, by Google's rules and the names of the vocabulary."""
    node = program("node", how="apt-get install nodejs")
    file(NODE / "node_modules/@adobe/structured-data-validator/package.json", how="python tools/install_parts.py")
    asked = json.dumps({"pages": pages, "vocabulary": _graph()})
    done = subprocess.run(
        [node, "structured-data.mjs"], cwd=NODE, input=asked, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return list(json.loads(done.stdout))


def _graph() -> dict[str, Any]:
    """Return the vocabulary in the form in which schema.org publishes it."""
    graph: list[dict[str, Any]] = []
    domains: dict[str, list[str]] = {}
    for kind, said in VOCABULARY.items():
        above = [{"@id": f"schema:{one}"} for one in said["parents"]]
        graph.append({"@id": f"schema:{kind}", "@type": "rdfs:Class", "rdfs:subClassOf": above})
        for name in said["properties"]:
            domains.setdefault(name, []).append(kind)
    for name, kinds in domains.items():
        where = [{"@id": f"schema:{kind}"} for kind in kinds]
        graph.append({"@id": f"schema:{name}", "@type": "rdf:Property", "schema:domainIncludes": where})
    return {"@graph": graph}
