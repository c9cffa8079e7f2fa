"""The production server, as the portal and the service are run on it."""

import logging


def run(factory: str, host: str, port: int, *, workers: int, threads: int) -> None:
    """Serve what `factory` (module:function) makes in each process, until a signal ends it."""
    logging.getLogger("granian.access").setLevel(logging.WARNING)
    from granian.constants import Interfaces
    from granian.http import HTTP1Settings
    from granian.log import LogLevels
    from granian.server import Server

    Server(
        factory,
        factory=True,
        address=host,
        port=port,
        interface=Interfaces.WSGI,
        workers=workers,
        blocking_threads=threads,
        log_level=LogLevels.error,
        # What one connection may buffer: uploads go to disk as they come, so a large buffer is only memory.
        http1_settings=HTTP1Settings(max_buffer_size=65_536),
        respawn_failed_workers=True,
        workers_kill_timeout=10,
    ).serve()
