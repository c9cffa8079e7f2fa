"""Write what the product consists of, as CycloneDX JSON: programs by name, version, licence and hashes; data of others.

    .venv/bin/python tools/sbom.py dist/careers_portal.cdx.json

Programs come from requirements/tracing.txt by CycloneDX's own tool (what requirements/run.txt has not is `optional`),
and what each depends on from what is installed; the data comes from NOTICE, whose every paragraph names its files, then
whose it is and under what licence. The same commit makes the same bytes, and what is written was held against
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
"""Terms that SPDX has no identifier for, by the words of NOTICE."""
Component = dict[str, Any]


def written(said: Component, target: Path) -> int:
    """1, a line and no file, if CycloneDX has an objection."""
    text = json.dumps(said, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    if wrong := JsonStrictValidator(SchemaVersion.V1_6).validate_str(text):
        print(f"not CycloneDX {VERSION}: {wrong}")
        return 1
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    return 0


def bill() -> Component:
    """The whole document. Versions and names of ours come from pyproject.toml."""
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
    # Of some there is a version for newer and one for older Pythons.
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
    """As cyclonedx-py reads requirements/tracing.txt, without line numbers and addresses of a registry."""
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
    # Several files of one version: each has its hash, and which one is installed is the machine's choice.
    hashes = [one for each in found["externalReferences"] for one in each.get("hashes", [])]
    files = {"type": "distribution", "url": found["purl"], "hashes": hashes}
    made = {"type": "library", "name": name, "version": found["version"], "purl": found["purl"]}
    made["bom-ref"] = f"{name}@{found['version']}"
    licence = _licence(name)
    return {**made, "externalReferences": [files], **({"licenses": [licence]} if licence else {})}


def _licence(name: str) -> Component | None:
    """What the installed package says of itself, as tools/licences.py reads it; None for what is of another system."""
    try:
        said = metadata(name)
    except PackageNotFoundError:
        return None
    if expression := said.get("License-Expression"):
        return {"expression": expression}
    named = [one.split(" :: ")[-1] for one in said.get_all("Classifier", []) if one.startswith("License :: OSI")]
    text = (named or [str(said.get("License") or "")])[0]
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
    """A component for each paragraph about files; ValueError for one that is not understood."""
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
