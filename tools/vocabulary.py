"""Regenerate tests/site/feeds/vocabulary.json: schema.org's definitions of the types on the portal's pages.

    .venv/bin/python tools/vocabulary.py schemaorg-all-https.jsonld 30.0

The vocabulary itself is schema.org's, under CC BY-SA 3.0, and is not in this repository: the generated file contains
only facts, the names of types and properties and their allowed combinations.
"""

import json
import sys
from pathlib import Path

OURS = (
    "BreadcrumbList", "Country", "JobPosting", "ListItem", "MonetaryAmount", "Organization", "Place", "PostalAddress",
    "PropertyValue", "QuantitativeValue", "WebSite",
)  # fmt: skip
RESULT = Path(__file__).resolve().parent.parent / "tests" / "site" / "feeds" / "vocabulary.json"


def main(source: Path, release: str) -> None:
    """Write the file."""
    nodes = json.loads(source.read_text(encoding="utf-8"))["@graph"]
    graph = [node for node in nodes if node["@id"].startswith("schema:")]  # skip names of other vocabularies
    parents = {name(n["@id"]): names(n.get("rdfs:subClassOf")) for n in graph if "rdfs:Class" in kinds(n)}
    wanted = set(OURS)
    while more := {up for one in wanted for up in parents.get(one, ())} - wanted:
        wanted |= more
    found: dict[str, dict[str, object]] = {
        one: {"parents": parents.get(one, []), "properties": {}} for one in sorted(wanted)
    }
    for node in graph:
        if "rdf:Property" not in kinds(node):
            continue
        for domain in names(node.get("schema:domainIncludes")):
            if domain in found:
                found[domain]["properties"][name(node["@id"])] = names(node.get("schema:rangeIncludes"))  # type: ignore[index]
    text = json.dumps({"release": release, "types": found}, indent=1, sort_keys=True)
    RESULT.write_text(text + "\n", encoding="utf-8")


def kinds(node: dict[str, object]) -> list[object]:
    """Return the types of a node."""
    found = node.get("@type", [])
    return found if isinstance(found, list) else [found]


def names(value: object) -> list[str]:
    """Return the names in one reference or a list of references."""
    found = value if isinstance(value, list) else [value] if value else []
    return sorted(name(one["@id"]) for one in found)


def name(identifier: str) -> str:
    """Return a name without the vocabulary's prefix."""
    return identifier.rpartition(":")[2].rpartition("/")[2]


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
