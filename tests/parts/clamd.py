"""A private clamd whose only signature is that of the EICAR test file."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.parts.missing import program
from tests.parts.process import accepts, free_port, private_folder, running

HOW = "apt-get install clamav-daemon"
EICAR = b"X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR" + b"-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"
STREAM_MAX_BYTES = 1024 * 1024


@dataclass(frozen=True, slots=True)
class RunningClamd:
    """A running clamd: its address, and its process."""

    port: int
    socket: Path
    pid: int

    @property
    def address(self) -> str:
        """Its address, as a value of PORTAL_SCANNER."""
        return f"clamd:127.0.0.1:{self.port}"


@contextmanager
def running_clamd(*, stream_max_bytes: int = STREAM_MAX_BYTES, signature: bytes = EICAR) -> Iterator[RunningClamd]:
    """Run a private server that alerts on exceeded limits. signature: bytes that it reports as malware."""
    clamd = program("clamd", how=HOW)
    with private_folder() as home:
        (home / "database").mkdir()
        (home / "database" / "test.ndb").write_text(f"Test.File:0:*:{signature.hex()}\n", encoding="ascii")
        port = free_port()
        settings = f"""
            Foreground yes
            DatabaseDirectory {home / "database"}
            TemporaryDirectory {home}
            TCPSocket {port}
            TCPAddr 127.0.0.1
            LocalSocket {home / "clamd.sock"}
            StreamMaxLength {stream_max_bytes}
            AlertExceedsMax yes
            MaxRecursion 3
            MaxThreads 4
        """
        configuration = home / "clamd.conf"
        configuration.write_text("\n".join(line.strip() for line in settings.splitlines()), encoding="utf-8")
        argv = [clamd, "-c", str(configuration)]
        with running(argv, log=home / "log", ready=lambda: accepts(port), cwd=home) as process:
            yield RunningClamd(port, home / "clamd.sock", process.pid)
