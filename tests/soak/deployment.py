"""A complete installation, with each part as a process that is restarted as systemd would."""

import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import psutil

from tests.builders import SECRET
from tests.delivery.scene import tenant_file
from tests.deploy.behind_nginx import ORIGIN, Behind, nginx
from tests.parts.clamd import RunningClamd, running_clamd
from tests.parts.line import Line, line
from tests.parts.postgres import Postgres, running_postgres
from tests.parts.process import accepts, free_port, private_folder
from tests.parts.radosgw import RunningRadosgw, running_radosgw
from tests.parts.redis import RunningRedis, running_redis
from tests.parts.smtp import SmtpServer, running_smtp
from tests.site.account.candidate import candidate
from tests.site.apply.conftest import vacancy

COMPANIES = ("acme", "globex")
JOBS = 40
CANDIDATES = 60
OWNER = "owner@colleagues.example"
DISK = "3g"
"""Size of the disk with database, files and logs, which a fault fills up (SQLite only)."""
_MORE = """
[embed]
origins = ["https://www.acme.example"]
"""


@dataclass
class Supervised:
    """A process of the product that is restarted a second after it has ended, unless restarts are disabled."""

    name: str
    argv: list[str]
    environment: dict[str, str]
    log: Path
    process: subprocess.Popen[bytes] | None = None
    starts: int = 0
    held: bool = False
    has_low_share: bool = False
    """Whether its CPU share is a fifth of a server's, as the samples in deploy/ set for a worker."""

    def start(self) -> None:
        """Start the process."""
        tied = [setpriv, "--pdeathsig", "KILL", "--"] if (setpriv := shutil.which("setpriv")) else []
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [*tied, *self.argv],
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                env=self.environment,
                start_new_session=True,
            )
        if self.has_low_share:
            # Linux shares CPU time among sessions, and the priority of a process counts within its session only.
            with suppress(OSError):
                Path(f"/proc/{self.process.pid}/autogroup").write_text("7")
        self.starts += 1

    def keep(self) -> None:
        """Restart it if it has ended."""
        if not self.held and (self.process is None or self.process.poll() is not None):
            self.start()

    def send(self, number: signal.Signals) -> None:
        """Send a signal to it and to all its descendants."""
        if self.process is not None and self.process.poll() is None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, number)

    def stop(self, *, seconds: float = 90) -> None:
        """Stop it as an upgrade does, and wait."""
        self.held = True
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(seconds)
            self.send(signal.SIGKILL)

    def memory(self) -> float:
        """Return its PSS and that of its descendants in MB; 0 while it is down."""
        if self.process is None or self.process.poll() is not None:
            return 0.0
        try:
            found = psutil.Process(self.process.pid)
            return sum(float(one.memory_full_info().pss) for one in (found, *found.children(recursive=True))) / 2**20
        except psutil.Error:
            return 0.0


@dataclass
class Deployment:
    """An installation of portal and service. lines: relays to parts that can be cut off; pids: parts to pause."""

    folder: Path
    environment: dict[str, str]
    ports: dict[str, int]
    smtp: SmtpServer
    clamd: RunningClamd
    lines: dict[str, Line]
    keys: dict[str, str] = field(default_factory=dict)
    postgres: Postgres | None = None
    store: RunningRadosgw | None = None
    redis: RunningRedis | None = None
    processes: dict[str, Supervised] = field(default_factory=dict)
    proxy: Behind | None = None
    _over: threading.Event = field(default_factory=threading.Event)

    def portal(self, *words: str, seconds: float = 600, check: bool = True) -> subprocess.CompletedProcess[str]:
        """Run a `portal` command as an operator types it."""
        argv = [sys.executable, "-m", "portal.cli", *words]
        done = subprocess.run(
            argv, env=self.told(), capture_output=True, text=True, timeout=seconds, check=False, cwd=self.folder
        )
        assert not check or done.returncode == 0, f"portal {' '.join(words)}:\n{done.stdout}{done.stderr}"
        return done

    def told(self) -> dict[str, str]:
        """The environment variables of every process."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PORTAL_", "TRACKER_"))}
        return {**inherited, **self.environment}

    def add(self, name: str, *words: str) -> None:
        """Start a process of the product and supervise it."""
        argv = [sys.executable, "-m", "portal.cli", *words]
        log, low = self.folder / f"{name}.log", words[0] == "worker"
        made = self.processes[name] = Supervised(name, argv, self.told(), log, has_low_share=low)
        made.start()

    def supervise(self) -> None:
        """Check all processes once a second, until `end`."""
        while not self._over.wait(1):
            for one in self.processes.values():
                one.keep()

    def end(self) -> None:
        """Stop every added process, and its supervision."""
        self._over.set()
        for one in self.processes.values():
            one.send(signal.SIGCONT)
            one.stop(seconds=30)

    def logs(self) -> Iterator[Path]:
        """Return the log files of the product and of the proxy."""
        yield from self.folder.glob("*.log")
        if self.proxy is not None:
            yield from self.proxy.home.glob("*.log")

    def at_service(self, slug: str, path: str) -> httpx.Response:
        """Make a request to the service's interface with the company's key."""
        address = f"http://127.0.0.1:{self.ports['service']}{path}"
        return httpx.get(address, headers={"x-api-key": self.keys[slug]}, trust_env=False, timeout=120)


@contextmanager
def on_postgresql(folder: Path) -> Iterator[Deployment]:
    """Run an installation with PostgreSQL, an object store and Redis."""
    with ExitStack() as stack:
        postgres = stack.enter_context(running_postgres(fsync=True, settings={"max_wal_size": "2GB"}))
        here = Path("/var/tmp")  # noqa: S108  a folder of its own in it, on a disk: ten gigabytes in an hour
        disk = stack.enter_context(private_folder(within=here))
        store = stack.enter_context(running_radosgw(disk=disk))
        redis = stack.enter_context(running_redis())
        lines = {"store": stack.enter_context(line(store.port))}
        told = {
            **store.environment,
            "PORTAL_DATABASE_URL": postgres.url(postgres.create(name="portal")),
            "TRACKER_DATABASE_URL": postgres.url(postgres.create(name="service")),
            "PORTAL_ATTACHMENTS": f"s3://{store.bucket}",
            "PORTAL_S3_ENDPOINT": lines["store"].origin,
            "PORTAL_RATE_LIMITS": redis.url,
            "TRACKER_RATE_LIMITS": redis.url,
        }
        made = stack.enter_context(_deployed(folder, told, lines))
        made.postgres, made.store, made.redis = postgres, store, redis
        yield made


@contextmanager
def on_sqlite(folder: Path) -> Iterator[Deployment]:
    """Run an installation with two SQLite databases, on a disk of limited size if this user may mount one."""
    disk = folder / "disk"
    disk.mkdir(parents=True)
    is_mounted = _mounted(disk)
    told = {
        "PORTAL_DATABASE_URL": f"sqlite:///{disk / 'portal.db'}",
        "TRACKER_DATABASE_URL": f"sqlite:///{disk / 'service.db'}",
        "PORTAL_ATTACHMENTS": f"file:{folder / 'attachments'}",
    }
    try:
        with _deployed(folder, told, {}) as made:
            yield made
    finally:
        if is_mounted:
            subprocess.run(["umount", "--lazy", disk], check=False)


def _mounted(disk: Path) -> bool:
    return subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={DISK}", "none", disk], check=False).returncode == 0


@contextmanager
def _deployed(folder: Path, told: Mapping[str, str], lines: dict[str, Line]) -> Iterator[Deployment]:
    (folder / "tenants").mkdir(parents=True, exist_ok=True)
    ports = {name: free_port() for name in ("server-1", "server-2", "service")}
    with ExitStack() as stack:
        smtp = stack.enter_context(running_smtp())
        clamd = stack.enter_context(running_clamd(stream_max_bytes=16 * 2**20))
        lines["service"] = stack.enter_context(line(ports["service"]))
        environment = {
            **told,
            "PORTAL_SECRET_KEY": SECRET,
            "PORTAL_TENANTS": str(folder / "tenants"),
            "PORTAL_MAIL": smtp.address,
            "PORTAL_SCANNER": clamd.address,
            "PORTAL_BASE_URL": ORIGIN,
            "PORTAL_TRUSTED_PROXIES": "1",
            "PORTAL_LOG": "json",
            "PORTAL_SYNC_INTERVAL": "5",
            "PORTAL_ERASURES": f"file:{folder / 'erasures'}",
            "TRACKER_SECRET_KEY": SECRET[::-1],
            "TRACKER_MAIL": smtp.address,
            "TRACKER_BASE_URL": f"http://127.0.0.1:{ports['service']}",
            "TRACKER_PUBLIC_RATE_LIMIT": "1000000",
            "TRACKER_RATE_LIMIT": "1000000",
        }
        made = Deployment(folder, environment, ports, smtp, clamd, lines)
        _fill(made)
        stack.callback(made.end)
        made.add("service", "tracker", "serve", "--port", str(ports["service"]))
        for name in ("worker-1", "worker-2"):
            made.add(name, "worker")
        for name in ("server-1", "server-2"):
            made.add(name, "serve", "--port", str(ports[name]))
        until(lambda: all(map(accepts, ports.values())), "everything listens")
        made.proxy = stack.enter_context(nginx(folder / "nginx", (ports["server-1"], ports["server-2"])))
        threading.Thread(target=made.supervise, daemon=True).start()
        yield made


def _fill(made: Deployment) -> None:
    made.portal("db", "upgrade")
    for slug in COMPANIES:
        records = [vacancy(f"{slug}-{number}", f"Welder {number}") for number in range(JOBS)]
        records += [
            candidate(
                f"{slug}-canary-{number}", emails=[{"purpose": "personal", "email": known(number), "isPrimary": True}]
            )
            for number in range(CANDIDATES)
        ]
        file = made.folder / f"{slug}.jsonl"
        file.write_text("\n".join(records) + "\n")
        made.portal("tracker", "tenant", "add", slug, slug.title())
        made.portal("tracker", "load", slug, str(file))
        key = made.folder / f"{slug}.key"
        made.keys[slug] = made.portal("tracker", "key", "create", slug).stdout.strip()
        key.write_text(made.keys[slug])
        text = tenant_file(slug, made.lines["service"].origin, key=key, extra="")
        (made.folder / "tenants" / f"{slug}.toml").write_text(text + _MORE)
    made.portal("tracker", "colleague", "add", COMPANIES[0], OWNER, "--role", "owner")


def known(number: int) -> str:
    """Return the address of a candidate of the service."""
    return f"c{number}@people.example"


def until(true: Callable[[], object], what: str, *, seconds: float = 180) -> None:
    """Wait until a condition holds."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.2)
