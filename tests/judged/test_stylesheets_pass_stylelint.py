"""The styles comply with the standard rules of stylelint."""

import json
import subprocess
from pathlib import Path

from tests.parts.missing import file, program

NODE = Path(__file__).parents[1] / "node"
STYLES = Path(__file__).parents[2] / "static" / "css"


def test_stylelint_finds_nothing():
    node = program("node", how="apt-get install nodejs")
    linter = file(NODE / "node_modules/stylelint/bin/stylelint.mjs", how="python tools/install_parts.py, with npm")
    sheets = sorted(map(str, STYLES.glob("*.css")))
    assert sheets
    command = [node, str(linter), "--config", str(NODE / "stylelint.json"), "--formatter", "json", *sheets]
    done = subprocess.run(command, cwd=NODE, capture_output=True, text=True, timeout=120, check=False)
    found = json.loads(done.stderr or done.stdout)
    assert len(found) == len(sheets)
    wrong = [f"{Path(one['source']).name}:{w['line']} {w['text']}" for one in found for w in one["warnings"]]
    assert wrong == []
