"""Runs the docker commands of deploy/README.md with podman: `build`, and Compose's `run`, `up` and `exec`.

    python -m tests.parts.compose STATE.json build … | compose [--profile NAME] run|up|exec …

Every key of a service is translated into options; an unknown key is an error. Only third-party images are replaced, as
`Stage` says.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml

from tests.parts.podman import IMAGE, PROGRAMS, Podman

DONE_ELSEWHERE = {
    "build", "container_name", "cpu_shares", "depends_on", "deploy", "expose", "healthcheck", "image", "logging",
    "networks", "profiles", "restart", "stop_grace_period",
}  # fmt: skip
"""Keys of a service that do not become options of its container: those of Compose itself, and restart policies."""


@dataclass(frozen=True)
class Stage:
    """What the sample runs with; passed from process to process.

    folder: of compose.yaml. bridges: service → its port, for services that a socket in `sockets` connects to a server
    of the test. published: a port that the sample publishes → the loopback port in its place.
    """

    folder: str
    podman: str
    name: str
    sockets: str
    bridges: dict[str, int]
    published: dict[str, int]

    def write(self, path: Path) -> Path:
        """Write it to a file, for `read`."""
        path.write_text(json.dumps(asdict(self)))
        return path

    @classmethod
    def read(cls, path: Path) -> "Stage":
        """Read a file of `write`."""
        return cls(**json.loads(path.read_text()))


class Compose:
    """One project. Its containers have the names of their services, and stay until podman removes them."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.podman = Podman(Path(stage.podman), stage.name)
        text = (Path(stage.folder) / "compose.yaml").read_text()
        self.said = yaml.safe_load(text.replace("$$", "$"))
        self.services: dict[str, dict[str, Any]] = self.said["services"]

    def up(self, profiles: set[str]) -> None:
        """Start every service without a profile, and those of these.

        Docker starts independent services simultaneously. Here they start one after the other, so the service that
        workers use starts first: they would retry only after a pause.
        """
        for name, service in self.services.items():
            if profiles & set(service.get("profiles", ())):
                self.start(name)
                if service.get("restart") != "no":
                    self.until_healthy(name)
        for name, service in self.services.items():
            if "profiles" not in service:
                self.start(name)

    def start(self, name: str) -> None:
        """Start a service and its dependencies, unless they are running."""
        if self.containers(name):
            return
        service = self.services[name]
        self._dependencies(service)
        one_shot = service.get("restart") == "no"
        for number in range(1, 1 + service.get("deploy", {}).get("replicas", 1)):
            full = self.podman.start(f"{name}.{number}", [*self.options(name), "--no-healthcheck"], *self.runs(name))
            if one_shot:
                assert self.podman.do("wait", full, timeout=300).strip() == "0", self.podman.logs(full)

    def run(self, name: str, words: list[str]) -> str:
        """Run one command in a new container; return its output."""
        self._dependencies(self.services[name])
        options = [*self.options(name, publishes=False), "--no-healthcheck", "--rm"]
        return self.podman.do("run", *options, self.runs(name)[0], *words)

    def _dependencies(self, service: dict[str, Any]) -> None:
        for other, how in service.get("depends_on", {}).items():
            self.start(other)
            if how["condition"] == "service_healthy":
                self.until_healthy(other)

    def containers(self, name: str) -> list[str]:
        """Return the full names of existing containers, running or not."""
        return sorted(one for one in self.podman.names() if one.startswith(f"{self.stage.name}-{name}."))

    def health_check(self, name: str) -> list[str]:
        """Return the command of the health check, for `exec`; empty if it is disabled."""
        if name in self.stage.bridges:
            return ["socat", "-u", "OPEN:/dev/null", f"TCP:127.0.0.1:{self.stage.bridges[name]}"]
        kind, *words = self.services[name]["healthcheck"].get("test", ["NONE"])
        return [] if kind == "NONE" else ["sh", "-c", *words] if kind == "CMD-SHELL" else words

    def until_healthy(self, name: str) -> None:
        """Wait for a service as the condition `service_healthy` does."""
        for full in self.containers(name):
            self.podman.until(full, self.health_check(name))

    def runs(self, name: str) -> tuple[str, list[str]]:
        """Return image and command."""
        image, command = self.services[name]["image"], self.services[name].get("command", [])
        if image == "careers-portal":
            return IMAGE, command
        if name in self.stage.bridges:
            to = ["socat", f"TCP-LISTEN:{self.stage.bridges[name]},fork", f"UNIX-CONNECT:/bridges/{name}"]
            return self.podman.made("programs", PROGRAMS), to
        return self.podman.made("programs", PROGRAMS), command

    def options(self, name: str, *, publishes: bool = True) -> list[str]:
        """Return the options of `podman run` for a service of the sample."""
        service = self.services[name]
        found = ["--hostname", name]
        for network in service["networks"]:
            internal = (self.said["networks"][network] or {}).get("internal", False)
            found += ["--network", self.podman.network(network, internal=internal)]
        found += ["--network-alias", name]
        if name in self.stage.bridges:
            return [*found, "--volume", f"{self.stage.sockets}:/bridges"]
        for word, value in service.items():
            if word not in DONE_ELSEWHERE and (publishes or word != "ports"):
                found += getattr(self, f"_{word}")(value)
        return found

    def _read_only(self, value: bool) -> list[str]:
        # Podman makes additional folders writable, which Docker does not.
        return ["--read-only", "--read-only-tmpfs=false"] if value else []

    def _init(self, value: bool) -> list[str]:
        return ["--init"] if value else []

    def _cap_drop(self, value: list[str]) -> list[str]:
        return [word for one in value for word in ("--cap-drop", one)]

    def _cap_add(self, value: list[str]) -> list[str]:
        return [word for one in value for word in ("--cap-add", one)]

    def _security_opt(self, value: list[str]) -> list[str]:
        return [word for one in value for word in ("--security-opt", one.removesuffix(":true"))]

    def _tmpfs(self, value: list[str]) -> list[str]:
        return [word for one in value for word in ("--tmpfs", one)]

    def _user(self, value: str) -> list[str]:
        return ["--user", value]

    def _stop_signal(self, value: str) -> list[str]:
        return ["--stop-signal", value]

    def _environment(self, value: dict[str, str]) -> list[str]:
        return [word for name, one in value.items() for word in ("--env", f"{name}={one}")]

    def _command(self, _value: list[str]) -> list[str]:
        return []

    def _secrets(self, value: list[str]) -> list[str]:
        files = [(one, Path(self.stage.folder) / self.said["secrets"][one]["file"]) for one in value]
        return [word for one, file in files for word in ("--volume", f"{file.resolve()}:/run/secrets/{one}:ro")]

    def _volumes(self, value: list[str]) -> list[str]:
        return [word for one in value for word in ("--volume", self._volume(*one.split(":")))]

    def _volume(self, source: str, *more: str) -> str:
        if not source.startswith("."):
            return ":".join((f"{self.stage.name}-{source}", *more))
        path = (Path(self.stage.folder) / source).resolve()
        if not path.exists():
            path.mkdir()
        return ":".join((str(path), *more))

    def _ports(self, value: list[str]) -> list[str]:
        inside = [(one.rpartition(":")[2], self.stage.published[one]) for one in value]
        return [word for port, here in inside for word in ("--publish", f"127.0.0.1:{here}:{port}")]


def main(state: Path, words: list[str]) -> None:
    """Run a docker command, and print what docker would print."""
    stage = Stage.read(state)
    podman = Podman(Path(stage.podman), stage.name)
    if words[0] == "build":
        podman.built(*_build_arguments(words))
        return
    told = iter(words[1:])
    profiles: set[str] = set()
    for word in told:
        if word == "--profile":
            profiles.add(next(told))
        else:
            _compose(Compose(stage), profiles, word, told)


def _build_arguments(words: list[str]) -> Iterator[str]:
    at = dict(pairwise(words))
    assert (at["-f"], at["-t"], words[-1]) == ("deploy/Containerfile", "careers-portal", "."), words
    return (after for before, after in pairwise(words) if before == "--build-arg")


def _compose(project: Compose, profiles: set[str], word: str, told: Iterator[str]) -> None:
    assert Path.cwd().samefile(project.stage.folder)
    rest = [one for one in told if one not in {"--rm", "-T", "-d"}]
    if word == "up":
        project.up(profiles)
    elif word == "run":
        sys.stdout.write(project.run(rest[0], rest[1:]))
    elif word == "exec":
        sys.stdout.write(project.podman.do("exec", project.containers(rest[0])[0], *rest[1:]))
    else:
        raise AssertionError(f"not done here: docker compose {word}")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
