"""Restrictions of a process that inspects an untrusted file: it may still read that file, compute and respond.

They use every kernel feature that needs no privilege. Some may be missing, in old kernels and in containers that forbid
them; each works without the others, and `forbidden_capabilities` tests which work.
"""

import ctypes
import math
import os
import platform
import resource
import signal
import socket
import struct
import sys
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from portal.platform.clock import SystemClock

_PR_SET_PDEATHSIG, _PR_SET_SECCOMP, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS = 1, 22, 4, 38
_SECCOMP_MODE_FILTER = 2

# System calls of a process that reads a file, allocates memory and responds: by machine, its audit architecture and
# their numbers. read write close lseek mmap mprotect munmap brk rt_sigaction rt_sigprocmask rt_sigreturn pread64
# sched_yield mremap madvise getpid exit gettimeofday sigaltstack gettid futex clock_gettime clock_getres exit_group
# restart_syscall getrandom
_CALLS = {
    "x86_64": (
        0xC000003E,
        (0, 1, 3, 8, 9, 10, 11, 12, 13, 14, 15, 17, 24, 25, 28, 39, 60, 96, 131, 186, 202, 228, 229, 231, 219, 318),
    ),
    "aarch64": (
        0xC00000B7,
        (
            63,
            64,
            57,
            62,
            222,
            226,
            215,
            214,
            134,
            135,
            139,
            67,
            124,
            216,
            233,
            172,
            93,
            169,
            132,
            178,
            98,
            113,
            114,
            94,
            128,
            278,
        ),
    ),
}
_ALLOW, _REFUSE, _KILL = 0x7FFF0000, 0x00050000 | 1, 0x80000000  # SECCOMP_RET_ALLOW, …_ERRNO with EPERM, …_KILL_PROCESS
_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06  # BPF_LD|W|ABS, BPF_JMP|JEQ|K, BPF_RET|K

_LANDLOCK_CREATE, _LANDLOCK_RESTRICT = 444, 446  # the same on every machine
# By version of Landlock: how many file access rights exist. TCP can be restricted from version 4 on, signals from 6 on.
_FILE_RIGHTS = {1: 13, 2: 14, 3: 15, 4: 15}
_FILE_RIGHTS_NOW = 16


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one process. memory: bytes of address space. cpu: CPU seconds. timeout: wall-clock seconds."""

    memory: int
    cpu: float
    timeout: float


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


class _Filter(ctypes.Structure):
    """struct sock_fprog."""

    _fields_ = (("length", ctypes.c_ushort), ("program", ctypes.c_char_p))


@cache
def _filter() -> _Filter | None:
    """Return the seccomp program that allows nothing but _CALLS; None for a machine whose numbers are unknown."""
    if sys.platform != "linux" or platform.machine() not in _CALLS:
        return None
    architecture, calls = _CALLS[platform.machine()]
    steps = [(_LOAD, 0, 0, 4), (_EQUAL, 1, 0, architecture), (_RETURN, 0, 0, _KILL), (_LOAD, 0, 0, 0)]
    steps += [(_EQUAL, len(calls) - number, 0, call) for number, call in enumerate(calls)]
    steps += [(_RETURN, 0, 0, _REFUSE), (_RETURN, 0, 0, _ALLOW)]
    return _Filter(len(steps), b"".join(struct.pack("HBBI", *step) for step in steps))


def _ruleset() -> int | None:
    """Return a Landlock ruleset that allows no file, no TCP and no signal; None where the kernel has none."""
    version = _libc().syscall(_LANDLOCK_CREATE, None, 0, 1)
    if version < 1:
        return None
    rights = [(1 << _FILE_RIGHTS.get(version, _FILE_RIGHTS_NOW)) - 1]
    rights += [0b11] * (version >= 4) + [0b11] * (version >= 6)
    packed = struct.pack(f"{len(rights)}Q", *rights)
    made = _libc().syscall(_LANDLOCK_CREATE, packed, len(packed), 0)
    return int(made) if made >= 0 else None


def prepare() -> None:
    """Build, before the first fork, the objects that each process would otherwise build again."""
    _filter()


def end_with(parent: int) -> None:
    """Make this process end when the one that forked it ends."""
    with suppress(AttributeError):  # a system without prctl
        _libc().prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def apply(limits: Limits) -> None:
    """Irrevocably drop all rights except to read open files; call it once everything is imported and opened."""
    with suppress(AttributeError):  # a system without prctl
        _give_up_files()
    for limit, most in (
        (resource.RLIMIT_AS, limits.memory),
        (resource.RLIMIT_CPU, math.ceil(limits.cpu)),
        (resource.RLIMIT_NOFILE, 0),  # no file or socket can be opened; open ones remain usable
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        with suppress(ValueError, OSError):  # a system that has no such limit
            resource.setrlimit(limit, (most, most))
    signal.setitimer(signal.ITIMER_PROF, limits.cpu)  # its signal ends a process that does not handle it
    if (only := _filter()) is not None:
        _libc().prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(only), 0, 0)


def _give_up_files() -> None:
    _libc().prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    _libc().prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if (ruleset := _ruleset()) is not None:
        _libc().syscall(_LANDLOCK_RESTRICT, ruleset, 0)
        os.close(ruleset)


def forbidden_capabilities() -> list[str]:
    """Return what this process can do that it should not be able to, by trying; only for one that is about to end."""
    trials = {
        "open another file": lambda: os.open(__file__, os.O_RDONLY),
        "list a folder": lambda: list(Path("/").iterdir()),
        "open a socket": socket.socket,
        "start a process": _fork,
        "end another process": lambda: os.kill(os.getppid(), 0),
    }
    return [what for what, trial in trials.items() if _goes(trial)]


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _goes(trial: object) -> bool:
    try:
        trial()  # type: ignore[operator]
    except OSError:
        return False
    return True


def deadline(limits: Limits) -> float:
    """Return the deadline of a process that starts now, on the monotonic clock."""
    return SystemClock().monotonic() + limits.timeout
