"""A dependency whose licence does not allow redistribution is rejected by name."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def check(requirements: Path, packages: Path) -> tuple[int, list[str]]:
    command = [sys.executable, str(ROOT / "tools" / "licences.py"), str(requirements)]
    environment = {**os.environ, "PYTHONPATH": str(packages)}
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=environment, check=False)
    assert not done.stderr
    return done.returncode, done.stdout.splitlines()


def with_package(folder: Path, *said: str) -> Path:
    """Return requirements with one more package and these licence fields."""
    info = folder / "another-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("\n".join(["Metadata-Version: 2.4", "Name: another", "Version: 1.0", *said, ""]))
    requirements = folder / "run.txt"
    requirements.write_text((ROOT / "requirements" / "run.txt").read_text() + "another==1.0 \\\n")
    return requirements


def test_installed_packages_are_permissively_licensed_or_have_a_reason(tmp_path: Path):
    assert check(ROOT / "requirements" / "run.txt", tmp_path) == (0, [])


@pytest.mark.parametrize(
    "said",
    [
        ["License-Expression: GPL-2.0-or-later"],
        ["License-Expression: MIT AND GPL-3.0-only"],
        ["License-Expression: (MIT OR Apache-2.0) AND GPL-3.0-only"],
        ["Classifier: License :: OSI Approved :: MIT License",
         "Classifier: License :: OSI Approved :: GNU General Public License v2 or later (GPLv2+)"],
        ["License: GPL"],
        [],
    ],
)  # fmt: skip
def test_a_package_under_a_restrictive_licence_is_rejected(tmp_path: Path, said: list[str]):
    status, lines = check(with_package(tmp_path, *said), tmp_path)
    assert status == 1
    assert len(lines) == 1
    assert lines[0].startswith("another: ")


@pytest.mark.parametrize(
    "said",
    ["License-Expression: GPL-3.0-only OR MIT", "License: MIT", "Classifier: License :: OSI Approved :: BSD License"],
)
def test_a_package_under_a_permissive_licence_is_accepted(tmp_path: Path, said: str):
    assert check(with_package(tmp_path, said), tmp_path) == (0, [])


def test_a_package_that_is_not_installed_is_rejected(tmp_path: Path):
    requirements = tmp_path / "run.txt"
    requirements.write_text((ROOT / "requirements" / "run.txt").read_text() + "nowhere==1.0 \\\n")
    assert check(requirements, tmp_path)[0] == 1
