"""No test reaches anything but this machine.

Python's own audit events are listened to, so nothing is replaced: an attempt to connect, send, bind or resolve off
loopback raises where it is made, and is remembered, so that the test fails even if the code under test swallows it.
Names under .invalid answer as RFC 6761 §6.4 has it, without a query: that is how a test gets a name that is not there.
"""

import ipaddress
import socket
import sys

_CONNECTING = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg", "socket.bind"})
_RESOLVING = frozenset({"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"})


class OffLoopback(Exception):
    """A socket was about to leave this machine."""


class Guard:
    """Remembers each attempt; `take` hands them over and forgets them."""

    def __init__(self) -> None:
        self._attempts: list[str] = []
        self._own_name = socket.gethostname()

    def install(self) -> None:
        """Listen from now on, for as long as the interpreter runs: an audit hook can't be removed."""
        sys.addaudithook(self._hear)

    def take(self) -> list[str]:
        """Attempts since the last call."""
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
