"""`make audit` hands every pinned library to pip-audit, and fails where one of them could not be looked up."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.parts.missing import file

pytestmark = pytest.mark.verify
ROOT = Path(__file__).parents[2]
PINS = sorted((ROOT / "requirements").glob("*.txt"))
OPTIONS = re.findall(r"(?m)^AUDIT := (.*)$", (ROOT / "Makefile").read_text(encoding="utf-8"))[0].split()


def audit(*words: str | Path, home: Path) -> subprocess.CompletedProcess[str]:
    """Run it with the options of `make audit`."""
    program = file(Path(sys.prefix) / "pip-audit/bin/pip-audit", how="python tools/install_parts.py")
    command = [str(program), *OPTIONS, "--cache-dir", str(home), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.mark.parametrize("pins", PINS, ids=lambda path: path.stem)
def test_every_library_for_this_machine_is_handed_over(pins: Path, tmp_path: Path):
    lines = re.findall(r"(?m)^[a-z0-9][^\\\n]*==[^\\\n]*", pins.read_text(encoding="utf-8"))
    here = [one for one in map(Requirement, lines) if one.marker is None or one.marker.evaluate()]
    done = audit("--dry-run", "-r", pins, home=tmp_path)
    assert done.returncode == 0, done.stderr
    assert f"would have audited {len(here)} packages" in done.stderr


def test_a_library_that_cannot_be_looked_up_is_no_good_news(tmp_path: Path):
    """No list of vulnerabilities answers on this port."""
    pins = tmp_path / "pins.txt"
    pins.write_text(f"flask==3.1.3 --hash=sha256:{64 * '0'}\n", encoding="utf-8")
    done = audit("-s", "osv", "--osv-url", "http://127.0.0.1:9/", "--timeout", "2", "-r", pins, home=tmp_path)
    assert done.returncode != 0
    assert "No known vulnerabilities" not in done.stdout + done.stderr
