"""The parts of the portal as a command uses them."""

import click

from portal.clock import SystemClock
from portal.parts import Parts
from portal.settings import Settings


def ready() -> Parts:
    """From the environment, on a database of this release; closed when the command ends. Raises PortalError."""
    parts = Parts.ready(Settings.from_env(), clock=SystemClock())
    click.get_current_context().call_on_close(parts.close)
    return parts
