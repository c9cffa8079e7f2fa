"""A private Prometheus with the alert rules of deploy/, which scrapes every second."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from tests.parts.missing import program
from tests.parts.process import free_port, private_folder, running

HOW = "apt-get install prometheus"


@dataclass(frozen=True, slots=True)
class RunningPrometheus:
    """A running Prometheus: its address."""

    port: int

    def alerts(self, *, firing: bool = True) -> set[str]:
        """Return the names of firing alerts; with firing=False, of pending ones too."""
        return {
            one["labels"]["alertname"]
            for one in self._ask("alerts")["alerts"]
            if one["state"] == "firing" or not firing
        }

    def healthy(self) -> int:
        """Return how many targets responded."""
        return sum(one["health"] == "up" for one in self._ask("targets")["activeTargets"])

    def _ask(self, what: str) -> dict:
        return httpx.get(f"http://127.0.0.1:{self.port}/api/v1/{what}", trust_env=False, timeout=20).json()["data"]


@contextmanager
def running_prometheus(rules: Path, jobs: Mapping[str, int]) -> Iterator[RunningPrometheus]:
    """Run a private server. jobs: name → port of the target."""
    server = program("prometheus", how=HOW)
    told = {
        "global": {"scrape_interval": "1s", "scrape_timeout": "1s", "evaluation_interval": "1s"},
        "rule_files": [str(rules)],
        "scrape_configs": [
            {"job_name": job, "scrape_interval": "5s", "scrape_timeout": "5s",
             "static_configs": [{"targets": [f"127.0.0.1:{port}"]}]}
            for job, port in jobs.items()
        ],
    }  # fmt: skip
    with private_folder() as home:
        (home / "prometheus.yml").write_text(json.dumps(told), encoding="utf-8")
        port = free_port()
        argv = [server, f"--config.file={home / 'prometheus.yml'}", f"--storage.tsdb.path={home / 'data'}"]
        argv += [f"--web.listen-address=127.0.0.1:{port}", "--log.level=warn"]

        def ready() -> bool:
            try:
                return httpx.get(f"http://127.0.0.1:{port}/-/ready", trust_env=False, timeout=2).is_success
            except httpx.HTTPError:
                return False

        with running(argv, log=home / "log", ready=ready, cwd=home):
            yield RunningPrometheus(port)
