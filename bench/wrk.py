"""wrk on two servers in turn; a figure is the median of the ratios of neighbouring rounds."""

import re
import statistics
import subprocess
from functools import partial

from bench.figures import Measured, median
from bench.profiles import profile

ROUNDS, SECONDS = 7, 1
_UNITS = {"": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30}


def compared(
    name: str, plain: str, ours: str, *options: str, of: str, connections: int = 16, what: str = "Requests"
) -> Measured:
    """Ours as a part of the plain one's. of: words of our server's command line; what: Requests or Transfer."""

    def a_second(url: str) -> float:
        argv = ["wrk", "-t1", f"-c{connections}", f"-d{SECONDS}s", "--timeout", "30s", *options, url]
        output = subprocess.run(argv, capture_output=True, text=True, check=True).stdout
        found = re.search(rf"{what}/sec:\s+([\d.]+)(KB|MB|GB|)", output)
        if "Non-2xx" in output or not found:
            raise RuntimeError(f"{url} did not answer 2xx: {output}")
        return float(found[1]) * _UNITS[found[2]]

    a_second(plain), a_second(ours)  # warm
    rounds = [(a_second(plain), a_second(ours)) for _ in range(ROUNDS)]
    theirs, mine = (statistics.median(column) for column in zip(*rounds, strict=True))
    if what == "Transfer":
        detail = f"{mine / 2**20:,.0f} / {theirs / 2**20:,.0f} MB a second"
    else:
        detail = f"{mine:,.0f} / {theirs:,.0f} a second"
    again = partial(profile, lambda: a_second(ours), of=of, times=2)
    return median(name, [b / a for a, b in rounds], f"{detail}, {connections} connections", again)
