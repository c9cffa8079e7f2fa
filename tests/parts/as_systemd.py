"""Run a program under the restrictions of a systemd unit, as far as that is possible without systemd as PID 1.

    python -m tests.parts.as_systemd 50-portal.conf FOLDER PROGRAM WORD…

Settings about system calls, address families, namespaces and executable memory become seccomp filters, with the same
library and lists of calls as systemd's; the user is nobody, without capabilities; and everything but FOLDER is
read-only. Not implemented: private devices, hidden processes in /proc, private users.
"""

import ctypes
import os
import re
import subprocess
import sys
from pathlib import Path

_ALLOW, _EPERM, _ENOSYS = 0x7FFF0000, 0x00050000 | 1, 0x00050000 | 38
_MASKED_EQUAL, _GREATER, _EQUAL = 7, 6, 4
_WRITE_AND_EXEC, _EXEC = 0b110, 0b100
_NAMESPACES = (0x00020000, 0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000)
_FAMILIES = {"AF_UNIX": 1, "AF_INET": 2, "AF_INET6": 10}
_NOBODY = 65_534


class _Compare(ctypes.Structure):
    """struct scmp_arg_cmp."""

    _fields_ = (("arg", ctypes.c_uint), ("op", ctypes.c_int), ("a", ctypes.c_uint64), ("b", ctypes.c_uint64))


class _Filter:
    """rest: the action for a call without a rule."""

    def __init__(self, rest: int) -> None:
        self._library = ctypes.CDLL("libseccomp.so.2", use_errno=True)
        self._library.seccomp_init.restype = ctypes.c_void_p
        self._made = ctypes.c_void_p(self._library.seccomp_init(ctypes.c_uint32(rest)))

    def rule(self, action: int, call: str, *compared: tuple[int, int, int, int]) -> None:
        number = self._library.seccomp_syscall_resolve_name(call.encode())
        if number < 0:
            return  # a system call of another architecture
        arguments = (_Compare * len(compared))(*[_Compare(*one) for one in compared])
        done = self._library.seccomp_rule_add_array(
            self._made, ctypes.c_uint32(action), number, len(compared), arguments
        )
        if done:
            raise OSError(-done, f"no rule about {call}")

    def load(self) -> None:
        if done := self._library.seccomp_load(self._made):
            raise OSError(-done, "the filter was not taken")


def allowed(conf: str) -> set[str]:
    """Return the system calls that the lines of SystemCallFilter= allow."""
    found: set[str] = set()
    for line in re.findall(r"(?m)^SystemCallFilter=(.+)$", conf):
        calls = set().union(*map(_calls, line.lstrip("~").split()))
        found = found - calls if line.startswith("~") else found | calls
    return found


def _calls(name: str) -> set[str]:
    if not name.startswith("@"):
        return {name}
    command = ["systemd-analyze", "--no-pager", "syscall-filter", name]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout.splitlines()
    return set().union(*(_calls(line.strip()) for line in said[1:] if line.strip() and "#" not in line))


def restrict(conf: str) -> None:
    """Apply the restrictions to this process and all its children."""
    more = _Filter(_ALLOW)
    if "MemoryDenyWriteExecute=yes" in conf:
        more.rule(_EPERM, "mmap", (2, _MASKED_EQUAL, _WRITE_AND_EXEC, _WRITE_AND_EXEC))
        more.rule(_EPERM, "mprotect", (2, _MASKED_EQUAL, _EXEC, _EXEC))
        more.rule(_EPERM, "pkey_mprotect", (2, _MASKED_EQUAL, _EXEC, _EXEC))
    if "RestrictNamespaces=yes" in conf:
        for flag in _NAMESPACES:
            more.rule(_EPERM, "clone", (0, _MASKED_EQUAL, flag, flag))
        more.rule(_EPERM, "unshare")
        more.rule(_EPERM, "setns")
        more.rule(_ENOSYS, "clone3")
    families = {_FAMILIES[one] for one in re.findall(r"AF_\w+", conf)}
    for family in set(range(max(families))) - families:
        more.rule(_EPERM, "socket", (0, _EQUAL, family, 0))
    more.rule(_EPERM, "socket", (0, _GREATER, max(families), 0))
    more.load()
    only = _Filter(_EPERM)
    for call in allowed(conf):
        only.rule(_ALLOW, call)
    only.load()


def main(conf: Path, folder: Path, command: list[str]) -> None:
    """Replace this process by the program."""
    said = conf.read_text()
    _unshare()
    _mount("--make-rprivate", "/")
    _mount("--bind", str(folder), str(folder))
    _empty_home(Path("/root"), folder)
    _mount("-o", "remount,bind,ro", "/")
    _only_own_folder(folder)
    os.chdir(folder)
    os.umask(int(re.findall(r"(?m)^UMask=(\d+)", said)[0], 8))
    os.environ["TMPDIR"] = str(folder)
    ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)  # NoNewPrivileges
    os.setgroups([])
    os.setresgid(_NOBODY, _NOBODY, _NOBODY)
    os.setresuid(_NOBODY, _NOBODY, _NOBODY)
    restrict(said)
    os.execv(command[0], command)  # noqa: S606  runs the program that the test names


def _unshare() -> None:
    if ctypes.CDLL(None, use_errno=True).unshare(0x00020000):
        raise OSError(ctypes.get_errno(), "no mount namespace")


def _mount(*words: str) -> None:
    subprocess.run(["mount", *words], check=True)


def _empty_home(home: Path, folder: Path) -> None:
    """Hide home folders as ProtectHome= does, except for the Python interpreter if it is in one."""
    interpreter = Path(sys.executable).resolve()
    kept = folder / "interpreter"
    inside = home / interpreter.relative_to(home).parts[0] if interpreter.is_relative_to(home) else None
    if inside:
        kept.mkdir()
        _mount("--rbind", str(inside), str(kept))
    _mount("-t", "tmpfs", "-o", "mode=755", "home", str(home))
    if inside:
        inside.mkdir()
        _mount("--move", str(kept), str(inside))
        kept.rmdir()


def _only_own_folder(folder: Path) -> None:
    """Make other file systems than the root read-only too."""
    for line in Path("/proc/self/mounts").read_text().splitlines():
        at = line.split()[1]
        if at not in {"/", str(folder)} and not at.startswith(("/proc", "/sys", "/dev")):
            subprocess.run(["mount", "-o", "remount,bind,ro", at], check=False, capture_output=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])
