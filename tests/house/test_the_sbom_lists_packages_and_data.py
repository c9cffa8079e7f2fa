"""`make sbom` lists every installed package of the product with its hashes, and third-party data."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tools import sbom

pytestmark = pytest.mark.verify

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    target = tmp_path_factory.mktemp("sbom") / "new" / "bom.json"
    command = [sys.executable, str(ROOT / "tools" / "sbom.py"), str(target)]
    done = subprocess.run(command, cwd=target.parents[1], capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    again = target.with_name("again.json")
    subprocess.run([*command[:2], str(again)], check=True, timeout=120)
    assert again.read_bytes() == target.read_bytes()
    return json.loads(target.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


def test_every_package_is_listed_with_its_hashes(document: dict[str, Any]):
    """The additional packages of the image and of tracing are marked as such."""
    pinned = (ROOT / "requirements" / "tracing.txt").read_text(encoding="utf-8")
    programs = [one for one in document["components"] if one["type"] == "library"]
    found = re.findall(r"(?m)^([a-z0-9-]+)(?:\[[a-z,]+\])?==([^\s;]+)", pinned)
    assert sorted((one["name"], one["version"]) for one in programs) == sorted(found)
    told_hashes = {each["content"] for one in programs for each in one["externalReferences"][0]["hashes"]}
    assert told_hashes == set(re.findall(r"--hash=sha256:([0-9a-f]{64})", pinned))

    beside = {one["name"] for one in programs if one.get("scope") == "optional"}
    assert "opentelemetry-sdk" in beside
    needed = (ROOT / "requirements" / "run.txt").read_text(encoding="utf-8")
    assert beside == {name for name, _ in found if f"\n{name}" not in f"\n{needed}"}


def test_third_party_data_is_listed_with_its_licence(document: dict[str, Any]):
    data = {one["name"]: one for one in document["components"] if one["type"] == "data"}
    assert data["portal/jobs/places/places.tsv.gz"]["licenses"] == [{"license": {"id": "CC-BY-4.0"}}]
    assert data["portal/site/feeds/fonts/share.ttf, portal/site/account/fonts/paper.ttf"]["licenses"] == [
        {"license": {"id": "OFL-1.1"}}
    ]
    named = re.findall(r"(?m)^((?:portal|static)/\S+.*)$", (ROOT / "NOTICE").read_text(encoding="utf-8"))
    assert set(data) == set(named)
    assert all(one["components"] for one in data.values())


def test_dependencies_between_packages_are_listed(document: dict[str, Any]):
    wanted = {one["ref"]: one.get("dependsOn", []) for one in document["dependencies"]}
    assert len(wanted) == len(document["dependencies"]) == len(document["components"]) + 1
    (flask,) = [ref for ref in wanted["careers-portal"] if ref.startswith("flask@")]
    assert [ref for ref in wanted[flask] if ref.startswith("werkzeug@")]
    known = {one["bom-ref"] for one in document["components"]} | {"careers-portal"}
    assert set(wanted) == known
    assert {one for each in wanted.values() for one in each} <= known


def test_an_invalid_cyclonedx_document_is_not_written(document: dict[str, Any], tmp_path: Path):
    assert sbom.written({**document, "components": [{"type": "cake", "name": "one"}]}, tmp_path / "bom.json") == 1
    assert not (tmp_path / "bom.json").exists()
    assert sbom.written(document, tmp_path / "bom.json") == 0
