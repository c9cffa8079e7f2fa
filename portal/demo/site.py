"""The demo's web application: the portal, with the demo's companies listed at `/`, and the demo's own pages."""

from portal import app
from portal.demo import components, embedded, mails
from portal.gateway.serving import RsgiApplication


def served() -> RsgiApplication:
    """Return the demo's application, wrapped for the production server. Raises SettingsError, SchemaError."""
    return app.served(names_companies=True, more=[components.blueprint, embedded.blueprint, mails.blueprint])
