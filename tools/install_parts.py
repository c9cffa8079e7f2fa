"""Install the real programs that the tests start: Debian packages where that is possible, a few of npm and of PyPI.

Uses the standard library only; run by `make test`. Programs that are installed already are skipped. For a program that
cannot be installed here, it prints how to get it; the tests that need it are then skipped, so the exit status is 0.
With CI=true, where no test may be skipped, the status is 1.
"""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# Program, by name or path → its packages, which count as installed if the program is found.
PARTS = {
    "chromium": ("chromium",),
    "chromium-headless-shell": ("chromium-headless-shell",),
    "/usr/lib/postgresql/*/bin/initdb": ("postgresql",),
    "radosgw": ("radosgw",),
    "ceph-mon": ("ceph-mon",),
    "ceph-osd": ("ceph-osd",),
    "ceph": ("ceph-common",),
    "clamd": ("clamav-daemon",),
    "redis-server": ("redis-server",),
    "wrk": ("wrk",),
    "strace": ("strace",),
    "prometheus": ("prometheus",),
    "java": ("default-jre-headless",),
    "node": ("nodejs",),
    "npm": ("npm",),
    "setpriv": ("util-linux",),
    "/usr/lib/*/libfribidi.so.0": ("libfribidi0",),
    "nginx": ("nginx-light",),
    "openssl": ("openssl",),
    "systemd-analyze": ("systemd",),
    "/usr/lib/*/libseccomp.so.2": ("libseccomp2",),
    "/usr/bin/caddy": ("caddy",),  # in addition to the one of the tests' packages
    "podman": ("podman",),
    "runc": ("runc",),
    "/usr/lib/podman/netavark": ("netavark",),
    "/usr/lib/podman/aardvark-dns": ("aardvark-dns",),
    # netavark runs it for each network, and Debian's packages only suggest it.
    "iptables": ("iptables",),
    "catatonit": ("catatonit",),
    "mmdebstrap": ("mmdebstrap",),
    "socat": ("socat",),
}
ROOT = Path(__file__).resolve().parent.parent
NODE = ROOT / "tests" / "node"
APART = ("sslyze", "pip-audit")  # programs of PyPI, each in an environment of its own beside the one of the tests
SEARCH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
POLICY = Path("/usr/sbin/policy-rc.d")
CLUSTERS = Path("/etc/postgresql-common/createcluster.d/careers-portal-tests.conf")


def main(apart: list[str]) -> int:
    """Install what is missing, and print what could not be installed. apart: only these of APART, if any is named."""
    if apart:
        return 0 if all(map(environment, apart)) else 1
    packages = [package for program, names in PARTS.items() if not found(program) for package in names]
    done = [install(packages) if packages else True, node_packages(), *map(environment, APART)]
    return 1 if os.environ.get("CI") == "true" and not all(done) else 0


def found(program: str) -> bool:
    """Return whether the program is installed, by its name or a pattern of its path."""
    return any(Path("/").glob(program[1:])) if "/" in program else shutil.which(program, path=SEARCH) is not None


def install(packages: list[str]) -> bool:
    """Install packages together, or one by one if that fails; return whether all are installed."""
    wanted = " ".join(packages)
    if shutil.which("apt-get") is None or os.geteuid() != 0:
        say(f"not installed, tests that need it are skipped: {wanted} (as root: apt-get install {wanted})")
        return False
    say(f"installing for the tests: {wanted}")
    with no_service_starts():
        apt("update")
        if apt("install", *packages):
            return True
        lacking = [package for package in packages if not apt("install", package)]
        for package in lacking:
            say(f"{package} could not be installed: apt-get install {package} says why")
        return not lacking


def apt(command: str, *packages: str) -> bool:
    """Run apt-get; return whether it succeeded."""
    options = ["-y", "--no-install-recommends"] if command == "install" else []
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    done = subprocess.run(
        ["apt-get", "-qq", "-o", "DPkg::Lock::Timeout=300", command, *options, *packages],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    return done.returncode == 0


@contextmanager
def no_service_starts() -> Iterator[None]:
    """Keep apt-get from starting the packages' services on their default ports: tests start servers of their own."""
    added = []
    for path, text in ((POLICY, "#!/bin/sh\nexit 101\n"), (CLUSTERS, "create_main_cluster = false\n")):
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="ascii")
            path.chmod(0o755)
            added.append(path)
    try:
        yield
    finally:
        for path in added:
            path.unlink(missing_ok=True)


def node_packages() -> bool:
    """Run `npm ci` if necessary; return whether exactly the locked versions are in tests/node."""
    if locked(NODE / "package-lock.json") == locked(NODE / "node_modules" / ".package-lock.json"):
        return True
    if not found("npm"):
        say("npm is missing, tests of HTML and accessibility are skipped: apt-get install npm, then make test")
        return False
    asked = json.loads((NODE / "package.json").read_text(encoding="utf-8"))["dependencies"]
    say("installing for the tests: " + ", ".join(asked))
    command = ["npm", "ci", "--ignore-scripts", "--no-progress"]
    done = subprocess.run(command, cwd=NODE, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        say("npm could not install what tests/node asks for: (cd tests/node && npm ci)")
        say("\n".join(done.stderr.splitlines()[:12]))
    return done.returncode == 0


def environment(name: str) -> bool:
    """Install requirements/NAME.txt in an environment of that name if necessary; return whether it is installed."""
    wanted, home = ROOT / "requirements" / f"{name}.txt", Path(sys.prefix) / name
    installed = home / "installed.txt"
    if installed.exists() and installed.read_bytes() == wanted.read_bytes():
        return True
    say(f"installing for the tests: {name}")
    uv = [str(Path(sys.executable).parent / "uv"), "--quiet"]
    create = [*uv, "venv", "--clear", "--python", sys.executable, str(home)]
    fill = [*uv, "pip", "install", "--system-certs", "--python", str(home / "bin" / "python"), "--require-hashes"]
    for command in (create, [*fill, "-r", str(wanted)]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            say(f"{name} could not be installed, its tests are skipped")
            say("\n".join(done.stderr.splitlines()[:12]))
            return False
    shutil.copy(wanted, installed)
    return True


def locked(path: Path) -> list[tuple[str, str]]:
    """Return name and version of each package in a lock file; nothing if there is no such file."""
    try:
        packages = json.loads(path.read_text(encoding="utf-8"))["packages"]
    except (OSError, ValueError, KeyError):
        return []
    return sorted((Path(name).name, entry["version"]) for name, entry in packages.items() if name)


def say(line: str) -> None:
    """Print one line immediately."""
    print(line, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
