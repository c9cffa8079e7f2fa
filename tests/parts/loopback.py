"""Prevents tests from reaching other machines.

It uses Python's audit events and patches nothing: an attempt to connect, send, bind or resolve beyond loopback raises
an error in place, and is recorded, so that the test fails even if the code under test swallows the error. Names under
.invalid fail without a query, as RFC 6761 §6.4 requires, so a test can use them as names that do not exist.
"""

import ipaddress
import socket
import sys

_CONNECTING = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg", "socket.bind"})
_RESOLVING = frozenset({"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"})


class OffLoopback(Exception):
    """A socket was about to be used beyond this machine."""


class Guard:
    """Records each attempt; `take` returns and deletes them."""

    def __init__(self) -> None:
        self._attempts: list[str] = []
        self._own_name = socket.gethostname()

    def install(self) -> None:
        """Install the audit hook, which cannot be removed while the interpreter runs."""
        sys.addaudithook(self._hear)

    def take(self) -> list[str]:
        """Return the attempts since the last call."""
        attempts, self._attempts = self._attempts, []
        return attempts

    def _hear(self, event: str, args: tuple[object, ...]) -> None:
        if event in _CONNECTING:
            address = args[1]
            if isinstance(address, tuple) and address and not self._is_loopback(address[0]):
                self._refuse(f"{event} to {address}")
        elif event in _RESOLVING:
            name = _text(args[0])
            if name.rstrip(".").endswith(".invalid"):
                raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
            if not self._is_loopback(name):
                self._refuse(f"{event} of {name}")

    def _is_loopback(self, host: object) -> bool:
        name = _text(host).rstrip(".")
        if name in ("localhost", self._own_name) or name.endswith(".localhost"):
            return True
        if host is None or isinstance(host, int):  # netlink and other families without a host name
            return True
        try:
            return ipaddress.ip_address(name.partition("%")[0]).is_loopback
        except ValueError:
            return False

    def _refuse(self, attempt: str) -> None:
        self._attempts.append(attempt)
        raise OffLoopback(f"{attempt}: tests stay on this machine")


def _text(host: object) -> str:
    return host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)
