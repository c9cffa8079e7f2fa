"""The script that a tenant may have on its public pages. The portal's own pages have none, and set no cookie.

What such a script does is its tenant's responsibility: it can read whatever the same host shows to the same browser, so
`portal check` asks for a host of the tenant's own.
"""

from flask import current_app, request

from portal.site.routing.access import Access, access_of
from portal.site.routing.framing import framed
from portal.tenants.model import Tenant


def script_of(tenant: Tenant | None) -> str | None:
    """Return the address of the script for the current page; None for forms, receipts, self-service and frames.

    In a frame the tenant's own page around it has its own scripts, and hears of jobs by events (docs/embedding.md).
    """
    if tenant is None or tenant.site.analytics is None or framed():
        return None
    view = current_app.view_functions.get(request.endpoint or "")
    return tenant.site.analytics if view and access_of(view) is Access.PUBLIC else None
