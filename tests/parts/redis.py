"""A private Redis without persistence."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.parts.missing import program
from tests.parts.process import accepts, free_port, private_folder, running


@dataclass(frozen=True, slots=True)
class RunningRedis:
    """A running Redis: its address, and its process."""

    port: int
    pid: int

    @property
    def url(self) -> str:
        """Its address, as a value of PORTAL_RATE_LIMITS."""
        return f"redis://127.0.0.1:{self.port}/0"


@contextmanager
def running_redis(*, port: int | None = None) -> Iterator[RunningRedis]:
    """Run a private server."""
    server = program("redis-server", how="apt-get install redis-server")
    with private_folder() as home:
        port = port or free_port()
        argv = [server, "--bind", "127.0.0.1", "--port", str(port), "--save", "", "--appendonly", "no"]
        argv += ["--dir", str(home)]
        with running(argv, log=home / "log", ready=lambda: accepts(port), cwd=home) as process:
            yield RunningRedis(port, process.pid)
