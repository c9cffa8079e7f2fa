"""The yardstick of delivering: the same requests by one bare client, four at a time, in a process of its own.

    python -m bench.bare_posts FILE

FILE: a line a request, [address, Idempotency-Key, body]. Prints how many a second were taken.
"""

import json
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx

AT_ONCE = 4


def main() -> None:
    """Read the file, then post it."""
    requests = [json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()]
    prepared = [
        (address, {"Idempotency-Key": key, "Content-Type": "application/json"}, json.dumps(body).encode())
        for address, key, body in requests
    ]
    left, lock = iter(prepared), threading.Lock()
    with httpx.Client(trust_env=False) as client:
        threads = [threading.Thread(target=_work, args=(client, left, lock)) for _ in range(AT_ONCE)]
        begun = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(len(prepared) / (time.perf_counter() - begun))


def _work(client: httpx.Client, left: Iterator[tuple[str, dict[str, str], bytes]], lock: threading.Lock) -> None:
    while True:
        with lock:
            one = next(left, None)
        if one is None:
            return
        address, headers, body = one
        client.post(address, headers=headers, content=body).raise_for_status()


if __name__ == "__main__":
    main()
