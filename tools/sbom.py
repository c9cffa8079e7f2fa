"""Write a software bill of materials, CycloneDX JSON: packages with version, licence and hashes; third-party data.

    .venv/bin/python tools/sbom.py dist/careers_portal.cdx.json

CycloneDX's own tool reads the packages from requirements/tracing.txt (those missing from requirements/run.txt are
`optional`); their dependencies come from the installed packages. The data comes from NOTICE, where each paragraph names
files, their owner and their licence. The same commit results in the same bytes, and the output is validated against
CycloneDX's schema.
"""

import hashlib
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from importlib.metadata import PackageNotFoundError, metadata, requires
from pathlib import Path
from typing import Any

from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
VERSION = "1.6"
OURS = "careers-portal"
LICENCES = {
    "Creative Commons Attribution 4.0": "CC-BY-4.0",
    "the same licence": "CC-BY-4.0",
    "Unicode License v3": "Unicode-3.0",
    "SIL Open Font License 1.1": "OFL-1.1",
}
POLICIES = ("Decision 2011/833/EU",)
"""Licences without an SPDX identifier, by their wording in NOTICE."""
Component = dict[str, Any]


def written(document: Component, target: Path) -> int:
    """Write the file and return 0; if it violates CycloneDX's schema, print a line, write nothing and return 1."""
    text = json.dumps(document, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    if wrong := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        print(f"not CycloneDX {VERSION}: {wrong}")
        return 1
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    return 0


def bill() -> Component:
    """Return the whole document. The product's name and version come from pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    ours = {
        "type": "application",
        "bom-ref": OURS,
        "name": OURS,
        "version": project["version"],
        "description": project["description"],
        "purl": f"pkg:pypi/{OURS}@{project['version']}",
        "licenses": [{"license": {"id": project["license"]}}],
    }
    programs, data = of_requirements(), of_notice()
    # Some packages have different versions for newer and older Pythons.
    known: dict[str, list[str]] = {}
    for one in programs:
        known.setdefault(one["name"], []).append(one["bom-ref"])
    wanted = [{"ref": one["bom-ref"], "dependsOn": _needed(one["name"], known)} for one in programs]
    wanted += [{"ref": one["bom-ref"]} for one in data]
    direct = [
        ref
        for one in [*project["dependencies"], *project["optional-dependencies"]["tracing"]]
        for ref in known[_name(one)]
    ]
    wanted.append({"ref": OURS, "dependsOn": sorted([*direct, *(one["bom-ref"] for one in data)])})
    return {
        "$schema": f"http://cyclonedx.org/schema/bom-{VERSION}.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": VERSION,
        "version": 1,
        "metadata": {"component": ours},
        "components": [*programs, *data],
        "dependencies": wanted,
    }


def of_requirements() -> list[Component]:
    """Return what cyclonedx-py reads from requirements/tracing.txt, without line numbers and registry URLs."""
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "bom.json"
        command = [sys.executable, "-W", "ignore", "-m", "cyclonedx_py", "requirements", "--output-reproducible"]
        command += ["--spec-version", VERSION, "--output-format", "JSON", "--output-file", str(made)]
        subprocess.run([*command, str(ROOT / "requirements" / "tracing.txt")], check=True, capture_output=True)
        found = json.loads(made.read_text(encoding="utf-8"))["components"]
    needed = set(re.findall(r"(?m)^([a-z0-9-]+)", (ROOT / "requirements" / "run.txt").read_text(encoding="utf-8")))
    made_of = sorted((_program(one) for one in found), key=lambda one: str(one["bom-ref"]))
    return [one if one["name"] in needed else {**one, "scope": "optional"} for one in made_of]


def _program(found: Component) -> Component:
    name = canonicalize_name(found["name"])
    # A version has several files, each with a hash; which one is installed depends on the machine.
    hashes = [one for each in found["externalReferences"] for one in each.get("hashes", [])]
    files = {"type": "distribution", "url": found["purl"], "hashes": hashes}
    made = {"type": "library", "name": name, "version": found["version"], "purl": found["purl"]}
    made["bom-ref"] = f"{name}@{found['version']}"
    licence = _licence(name)
    return {**made, "externalReferences": [files], **({"licenses": [licence]} if licence else {})}


def _licence(name: str) -> Component | None:
    """Return the licence in a package's metadata, as in tools/licences.py; None if it is not installed here."""
    try:
        fields = metadata(name)
    except PackageNotFoundError:
        return None
    if expression := fields.get("License-Expression"):
        return {"expression": expression}
    named = [one.split(" :: ")[-1] for one in fields.get_all("Classifier", []) if one.startswith("License :: OSI")]
    text = (named or [str(fields.get("License") or "")])[0]
    return {"license": {"name": text}} if text else None


def _needed(name: str, known: dict[str, list[str]]) -> list[str]:
    try:
        wanted = requires(name) or []
    except PackageNotFoundError:
        return []
    return sorted({ref for one in wanted if (found := _name(one)) != name for ref in known.get(found, ())})


def _name(requirement: str) -> str:
    return canonicalize_name(Requirement(requirement).name)


def of_notice() -> list[Component]:
    """Return a component for each paragraph about files; ValueError for a paragraph that cannot be parsed."""
    paragraphs = re.findall(r"(?m)^(\S.*)\n((?: {4}.*\n?)+)", (ROOT / "NOTICE").read_text(encoding="utf-8"))
    return [_data(names.split(", "), " ".join(text.split())) for names, text in paragraphs]


def _data(names: list[str], text: str) -> Component:
    found = sorted(path for name in names for path in ROOT.glob(name))
    licence = next(({"id": LICENCES[words]} for words in LICENCES if words in text), None)
    licence = licence or next(({"name": words} for words in POLICIES if words in text), None)
    if not found or licence is None:
        raise ValueError(f"NOTICE: neither files nor licence are understood of {', '.join(names)}")
    parts = [
        {
            "type": "file",
            "name": str(path.relative_to(ROOT)),
            "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(path.read_bytes()).hexdigest()}],
        }
        for path in found
    ]
    return {
        "type": "data",
        "bom-ref": ", ".join(names),
        "name": ", ".join(names),
        "description": text,
        "licenses": [{"license": licence}],
        "components": parts,
    }


if __name__ == "__main__":
    sys.exit(written(bill(), Path(sys.argv[1])))
