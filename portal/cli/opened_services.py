"""The services as commands open them."""

import click

from portal.operations.actions.actions import OperatorActions
from portal.platform.clock import SystemClock
from portal.platform.config.settings import Settings
from portal.services import Services


def ready() -> Services:
    """Open the services from the environment, on a database of this release. Raises PortalError.

    They are closed when the command ends.
    """
    services = Services.open_checked(Settings.from_env(), clock=SystemClock())
    click.get_current_context().call_on_close(services.close)
    return services


def operator_actions(services: Services) -> OperatorActions:
    """Return the manual actions, the same as in the console."""
    return OperatorActions(
        services.database,
        services.store,
        services.seal,
        services.clock,
        scans=services.scans,
        upload_ttl=services.settings.upload_ttl,
    )
