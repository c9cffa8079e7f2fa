"""Lighthouse with the settings of Chromium's developer tools: a mid-range phone on a slow connection."""

import json
import subprocess
from pathlib import Path

from tests.parts.chromium import arguments, executable
from tests.parts.missing import file, program

_AGAIN, _TRIES = "Please run Lighthouse again", 3
"""Lighthouse's message if it lost Chromium's trace and has no result; and the number of tries."""
NODE = Path(__file__).parent.parent / "node"
CLI = NODE / "node_modules" / "lighthouse" / "cli" / "index.js"


def judge(url: str, *categories: str, home: Path) -> tuple[dict[str, float], list[str]]:
    """Return the score of each category, 0 to 100, and the audits that lowered one."""
    node = program("node", how="apt-get install nodejs")
    cli = file(CLI, how="python tools/install_parts.py, with npm installed")
    flags = " ".join(["--headless=new", *arguments()])
    command = [node, str(cli), url, "--quiet", "--output=json", f"--chrome-flags={flags}"]
    command.append(f"--only-categories={','.join(categories)}")
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(home), "CHROME_PATH": executable()}
    for _ in range(_TRIES):
        done = subprocess.run(
            command, env=environment, cwd=home, capture_output=True, text=True, timeout=180, check=False
        )
        if not (done.returncode and _AGAIN in done.stderr):
            break
    if done.returncode != 0:
        raise AssertionError("Lighthouse did not run: " + done.stderr[-2_000:])
    report = json.loads(done.stdout)
    scores = {name: round(100 * one["score"]) for name, one in report["categories"].items()}
    audits = report["audits"]
    short = [
        f"{name}: {ref['id']} {audits[ref['id']].get('displayValue', '')}"
        for name, one in report["categories"].items()
        for ref in one["auditRefs"]
        if ref["weight"] and (audits[ref["id"]]["score"] or 0) < 0.9
    ]
    return scores, short
