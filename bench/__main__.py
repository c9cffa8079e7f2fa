"""Run all parts (or those named) and print one table. All parts together are also written into docs/performance.md."""

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

from bench import report
from bench.figures import Part
from bench.targets import PARTS, TOTAL

NAMED = 3_600.0
"""Seconds that a part has that was asked for by name."""
GRACE = 10.0
"""Seconds at the end of a part's time in which it ends what it has started."""


def main(wanted: list[str]) -> int:
    """Exit status 0 whatever the figures: they are read, not gated on."""
    unknown = set(wanted) - {part.name for part in PARTS}
    if unknown:
        raise SystemExit(f"no such part: {' '.join(sorted(unknown))}; there are {' '.join(p.name for p in PARTS)}")
    chosen = [part for part in PARTS if part.name in wanted] if wanted else [part for part in PARTS if part.targets]
    rows, facts, began, allowed = list[report.Row](), report.facts(), time.monotonic(), 0.0
    with tempfile.TemporaryDirectory() as folder:
        os.environ.setdefault("MIRROR", str(Path(folder, "mirror.db")))
        for part in chosen:
            allowed += NAMED if wanted else part.seconds
            rows += report.rows(part, *run(part, Path(folder), began + allowed - time.monotonic()))
    print("\n".join(report.as_text(rows)))
    print(f"{time.monotonic() - began:.0f} s", file=sys.stderr)
    if wanted:
        print(report.missed(rows))
    else:
        report.DOCUMENT.write_text(report.as_document(rows, facts), encoding="utf-8")
    return 0


def run(
    part: Part, folder: Path, seconds: float, command: tuple[str, ...] = (sys.executable, "-m", "bench.one_part")
) -> tuple[list[dict[str, Any]], str]:
    """What the part measured, and why it measured no more; empty if it came to its end."""
    file, began, before = folder / f"{part.name}.jsonl", time.monotonic(), _processor_seconds()
    file.touch()
    failure = ""
    # In a session of its own: Ctrl-C reaches this process alone, which then ends the part.
    with subprocess.Popen([*command, part.name, str(file)], start_new_session=True) as process:
        try:
            if process.wait(max(seconds - GRACE, 1)):
                failure = "failed"
        except subprocess.TimeoutExpired:
            failure = "not ended in time"
        finally:
            _end(process)
    took = f"{time.monotonic() - began:.0f} s, {_processor_seconds() - before:.0f} s of processors"
    print(f"{part.name}: {failure or 'measured'} ({took})", file=sys.stderr, flush=True)
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()], failure


def _end(process: subprocess.Popen[bytes]) -> None:
    """First by the part itself, which ends its servers; then each that is left of what it has started."""
    if process.poll() is None:
        started = psutil.Process(process.pid).children(recursive=True)
        process.terminate()
        try:
            process.wait(GRACE)
        except subprocess.TimeoutExpired:
            process.kill()
        left = psutil.wait_procs(started, timeout=1)[1]
        for one in left:
            one.kill()
        psutil.wait_procs(left, timeout=GRACE)


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    assert sum(part.seconds for part in PARTS) <= TOTAL
    sys.exit(main(sys.argv[1:]))
