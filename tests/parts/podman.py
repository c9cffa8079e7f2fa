"""Real containers: builds the product's image from its Containerfile, and runs it with a sample's restrictions.

Podman runs as root, with a storage of its own, so that the machine's containers are not affected. Third-party images
are replaced by images with Debian's packages of the same programs, because no registry is available; other services by
bridges to servers of the test.
"""

import hashlib
import os
import resource
import secrets
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from tests.parts.missing import missing, program
from tests.parts.process import running

ROOT = Path(__file__).resolve().parents[2]
HOW = "apt-get install podman runc netavark aardvark-dns iptables catatonit mmdebstrap socat"
KEPT = Path("/var/tmp/careers-portal-tests")  # noqa: S108  belongs to root, like a cache
RUNNING = "/run/careers-portal-tests"
CERTIFICATES = Path("/etc/ssl/certs")
IMAGE = "localhost/careers-portal"
CONFIGURATION = """
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "none"
[network]
network_backend = "netavark"
[containers]
default_ulimits = ["nofile={files}:{files}", "nproc={processes}:{processes}"]
"""
PYTHON = ("bookworm", "python3,python3-venv,python-is-python3,ca-certificates", "true")
"""The recipe of an image in place of python:3.11-slim-bookworm."""
PROGRAMS = (
    "trixie",
    "nginx-light,redis-server,postgresql-client,socat",
    # As in the official image of nginx: logs go to the container's output, and other files to /var/cache/nginx.
    (
        "rm /etc/nginx/sites-enabled/default && ln -sf /dev/stdout /var/log/nginx/access.log"
        " && ln -sf /dev/stderr /var/log/nginx/error.log && rm -rf /var/lib/nginx"
        " && ln -s /var/cache/nginx /var/lib/nginx && mkdir -p /var/cache/nginx"
    ),
)
"""The recipe of an image in place of nginx, redis and postgres, the last for its client only."""


@dataclass
class Podman:
    """folder: of its storage. name: prefix of its containers and networks, so that concurrent runs do not conflict."""

    folder: Path
    name: str = field(default_factory=lambda: f"careers-{secrets.token_hex(3)}")

    def ask(self, *words: str, timeout: float = 120, **more: object) -> subprocess.CompletedProcess[str]:
        """Run podman and return the result, also of a failure."""
        command = ["podman", "--root", str(KEPT), "--runroot", RUNNING, *words]
        environment = {**os.environ, "CONTAINERS_CONF": str(self.folder / "containers.conf")}
        return subprocess.run(  # type: ignore[call-overload, no-any-return]  an option for subprocess.run
            command, env=environment, capture_output=True, text=True, timeout=timeout, check=False, **more
        )

    def do(self, *words: str, timeout: float = 120) -> str:
        """Run podman and return its output; raise an error if it fails."""
        done = self.ask(*words, timeout=timeout)
        assert done.returncode == 0, f"podman {' '.join(words)}\n{done.stdout[-3_000:]}{done.stderr[-3_000:]}"
        return done.stdout

    def start(self, name: str, options: Sequence[str], image: str, command: Sequence[str]) -> str:
        """Start a container in the background; return its full name."""
        full = f"{self.name}-{name}"
        self.do("run", "--detach", "--name", full, *options, image, *command)
        return full

    def network(self, name: str, *, internal: bool) -> str:
        """Create a network; return its full name."""
        full = f"{self.name}-{name}"
        if self.ask("network", "exists", full).returncode != 0:
            self.do("network", "create", *(["--internal"] if internal else []), full)
        return full

    def logs(self, full: str) -> str:
        """Return the output of a container."""
        done = self.ask("logs", full)
        return done.stdout + done.stderr

    def until(self, full: str, words: Sequence[str], *, seconds: float = 120) -> None:
        """Wait until a health check in a container succeeds."""
        deadline = time.monotonic() + seconds
        while (done := self.ask("exec", full, *words)).returncode != 0:
            assert time.monotonic() < deadline, f"{full}: {done.stderr}\n{self.logs(full)}"
            time.sleep(0.2)

    def names(self, kind: str = "ps") -> list[str]:
        """Return the names of containers, running or not, or of networks or volumes."""
        words = ("ps", "--all", "--format", "{{.Names}}") if kind == "ps" else (kind, "ls", "--format", "{{.Name}}")
        return [one for one in self.do(*words).split() if one.startswith(f"{self.name}-")]

    def clear(self) -> None:
        """Stop and remove everything with this prefix."""
        if containers := self.names():
            self.ask("rm", "--force", "--time", "1", *containers)
        for kind in ("network", "volume"):
            for one in self.names(kind):
                self.ask(kind, "rm", "--force", one)

    def made(self, name: str, recipe: tuple[str, str, str]) -> str:
        """Build an image of Debian's packages, once; return its name. recipe: suite, packages, and a command to run."""
        tag = f"localhost/{name}:{hashlib.sha256(repr(recipe).encode()).hexdigest()[:12]}"
        if self.ask("image", "exists", tag).returncode == 0:
            return tag
        suite, packages, command = recipe
        file = self.folder / f"{name}.tar"
        hook = f"--customize-hook=chroot \"$1\" sh -euc '{command}'"
        debootstrap = [
            "mmdebstrap",
            "--mode=root",
            "--variant=minbase",
            f"--include={packages}",
            hook,
            suite,
            str(file),
        ]
        done = subprocess.run(debootstrap, capture_output=True, text=True, timeout=550, check=False)
        assert done.returncode == 0, done.stderr[-3_000:]
        self.do("import", "--change", f"ENV SSL_CERT_FILE={CERTIFICATES}/ca-certificates.crt", str(file), tag)
        file.unlink()
        return tag

    def built(self, *arguments: str) -> str:
        """Build the product's image from its Containerfile; return its name."""
        given = [word for one in (f"BASE={self.made('python', PYTHON)}", *arguments) for word in ("--build-arg", one)]
        file = str(ROOT / "deploy" / "Containerfile")
        reads = ["--network", "host", "--volume", f"{CERTIFICATES}:{CERTIFICATES}:ro"]
        self.do("build", "--format", "docker", *reads, *given, "-f", file, "-t", IMAGE, str(ROOT), timeout=580)
        return IMAGE


@contextmanager
def podman(folder: Path) -> Iterator[Podman]:
    """Yield a Podman whose containers are removed at the end of the block."""
    for name in ("podman", "runc", "mmdebstrap", "socat"):
        program(name, how=HOW)
    if os.geteuid() != 0:
        missing("containers with networks of their own are root's to start here: run this test as root")
    files = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    processes = min(resource.getrlimit(resource.RLIMIT_NPROC)[1], 4_096)
    (folder / "containers.conf").write_text(CONFIGURATION.format(files=files, processes=processes))
    made = Podman(folder)
    try:
        yield made
    finally:
        made.clear()
        made.ask("image", "prune", "--force", "--filter", "until=24h")


@contextmanager
def bridge(folder: Path, name: str, port: int) -> Iterator[Path]:
    """Relay a socket, in a folder that a container can access, to a server of the test on loopback."""
    path = folder / name
    command = [program("socat", how=HOW), f"UNIX-LISTEN:{path},fork,mode=777", f"TCP:127.0.0.1:{port}"]
    with running(command, log=folder.parent / f"{name}.log", ready=path.exists):
        yield path
