"""Run every bench/bench_*.py (or those named) and print one table. A figure that falls short is shown, not hidden."""

import importlib
import pkgutil
import sys
import time

import bench
from bench.figures import Figure


def main() -> int:
    """Exit status 0 whatever the figures: they are read, not gated on."""
    wanted = sys.argv[1:]
    names = [m.name for m in pkgutil.iter_modules(bench.__path__) if m.name.startswith("bench_")]
    if wanted:
        names = [n for n in names if n.removeprefix("bench_") in wanted]
    print(f"{'figure':<72} {'ratio':>8} {'target':>14}")
    short: list[Figure] = []
    for name in names:
        started = time.perf_counter()
        for figure in importlib.import_module(f"bench.{name}").run():
            mark = "" if figure.met else "   SHORT"
            short += [] if figure.met else [figure]
            target = f"{figure.good} {figure.target:g}"
            print(f"{figure.name:<72} {figure.value:>8.3f} {target:>14}{mark}\n    {figure.detail}", flush=True)
        print(f"    ({name}: {time.perf_counter() - started:.0f} s)", flush=True)
    for figure in short:
        print(f"fell short: {figure.name}: {figure.value:.3f}, {figure.good} {figure.target:g} ({figure.detail})")
    return 0


sys.exit(main())
