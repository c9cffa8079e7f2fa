"""The yardstick of an upload: a bare WSGI application that writes what comes to a file and syncs it.

python -m bench.bare_upload PORT
"""

import os
import sys
import tempfile
from collections.abc import Iterable
from typing import TYPE_CHECKING

from granian.constants import HTTPModes, Interfaces
from granian.log import LogLevels
from granian.server import Server

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

_CHUNK = 65_536


def app(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
    """Read, write, answer."""
    with tempfile.TemporaryFile() as file:
        while chunk := environ["wsgi.input"].read(_CHUNK):
            file.write(chunk)
        file.flush()
        os.fsync(file.fileno())
    start_response("204 No Content", [])
    return []


if __name__ == "__main__":
    Server(
        "bench.bare_upload:app",
        address="127.0.0.1",
        port=int(sys.argv[1]),
        interface=Interfaces.WSGI,
        http=HTTPModes.http1,
        log_level=LogLevels.error,
    ).serve()
