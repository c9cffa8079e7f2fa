"""The demo's web application: the product's, which at `/` names the demo's companies, and a company's own page."""

from portal import app
from portal.demo import components, embedded, mails
from portal.front.serving import Served


def served() -> Served:
    """What the demo's server runs. Raises SettingsError, SchemaError."""
    return app.served(names_companies=True, more=[components.blueprint, embedded.blueprint, mails.blueprint])
