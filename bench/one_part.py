"""One part in a process of its own: python -m bench.one_part NAME FILE. A line of JSON for each figure, as it comes."""

import dataclasses
import importlib
import json
import signal
import sys
from pathlib import Path

from bench.figures import Measured, Shares
from bench.targets import PARTS


def main(name: str, file: Path) -> None:
    """Profile what misses its target, while the part's servers still run."""
    # As a part is ended at its time limit: what it has started is ended with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended at its time limit"))
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored, which children inherit
    targets = {one.name: one for part in PARTS for one in part.targets}
    with file.open("a", encoding="utf-8") as out:
        for measured in importlib.import_module(f"bench.bench_{name}").run():
            missed = not targets[measured.name].met(measured.value)
            row = {one.name: getattr(measured, one.name) for one in dataclasses.fields(measured)}
            row |= {"spread": measured.spread, "profile": _profile(measured) if missed else []}
            print(json.dumps(row), file=out, flush=True)


def _profile(measured: Measured) -> Shares:
    try:
        return measured.profile() if measured.profile else []
    except Exception as error:  # noqa: BLE001  the figure counts without its profile too
        print(f"no profile: {error}", file=sys.stderr)
        return [(0.0, f"no profile: {type(error).__name__}")]


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
