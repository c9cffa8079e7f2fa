"""Files of `portal init` have the same meaning for systemd, bash, the container's shell and the portal."""

import ctypes
import os
import subprocess
from pathlib import Path

import pytest

from portal.cli import installation_files
from portal.platform.config.settings import Settings
from tests.parts.missing import missing

ODD = [
    "smtp://user:two words@mail.example:25",
    "smtp://user:#no-comment@mail.example:25",
    "smtp://user:a#b;c@mail.example:25",
    "smtp://user:$HOME${HOME}$(touch x)@mail.example:25",
    'smtp://user:"q"&|<>*?~!`@mail.example:25',
    "smtp://user:%i%%@mail.example:25",
    "smtp://user:Grün@mail.example:25",
    "smtp://user:a=b@mail.example:25",
]


def by_systemd(file: Path) -> dict[str, str]:
    """Read it as EnvironmentFile=, by the function in systemd's own library."""
    libraries = sorted(Path("/usr/lib").glob("**/systemd/libsystemd-shared-*.so"))
    if not libraries:
        missing("systemd's library")
    read = ctypes.CDLL(str(libraries[-1])).load_env_file
    found = ctypes.POINTER(ctypes.c_char_p)()
    read.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    assert read(None, bytes(file), ctypes.byref(found)) == 0
    lines: list[str] = []
    while (line := found[len(lines)]) is not None:
        lines.append(line.decode())
    return dict(line.split("=", 1) for line in lines)


def by_shell(shell: str, file: Path) -> dict[str, str]:
    path = {"PATH": os.environ["PATH"], "HOME": "/elsewhere"}
    command = [shell, "-c", f"set -a; . {file}; set +a; env -0"]
    done = subprocess.run(command, env=path, check=True, capture_output=True, text=True, cwd=file.parent)
    return dict(one.split("=", 1) for one in done.stdout.split("\0") if one.startswith("PORTAL_"))


def by_the_container(file: Path) -> dict[str, str]:
    """Run deploy/container/with-settings, with a `portal` that prints its environment."""
    programs = file.parent / "programs"
    programs.mkdir(exist_ok=True)
    (programs / "portal").write_text("#!/bin/sh\nexec env -0\n")
    (programs / "portal").chmod(0o755)
    start = Path(__file__).parents[2] / "deploy" / "container" / "with-settings"
    told = {"PATH": f"{programs}:{os.environ['PATH']}", "PORTAL_SETTINGS": str(file)}
    done = subprocess.run([str(start)], env=told, check=True, capture_output=True, text=True, cwd=file.parent)
    said = dict(one.split("=", 1) for one in done.stdout.split("\0") if one.startswith("PORTAL_"))
    return {name: value for name, value in said.items() if name != "PORTAL_SETTINGS"}


@pytest.mark.parametrize("mail", ODD)
def test_an_unusual_value_is_read_the_same_by_all(tmp_path: Path, mail: str):
    told = {"tenant": "acme", "name": "Acme", "service": "https://s.example", "key": "env:K", "mail": mail}
    assert installation_files.unquotable(mail) is None
    written = installation_files.write(tmp_path / "home", told)
    file = tmp_path / "home" / "settings.env"
    assert by_systemd(file) == by_shell("bash", file) == by_shell("sh", file) == by_the_container(file) == written
    assert Settings.from_env(written).mail == mail
    assert not list(tmp_path.rglob("x"))


@pytest.mark.parametrize("character", ["'", "\\", "\n", "\t", "\x7f"])
def test_a_value_that_they_would_read_differently_is_rejected_with_a_remedy(character: str):
    assert "%27, %5C, %0A" in str(installation_files.unquotable(f"smtp://user:{character}@mail.example"))
