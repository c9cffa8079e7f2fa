"""For WSGI servers: `granian --interface wsgi wsgi:app`, `gunicorn wsgi:app`."""

from portal.app import create_app
from portal.settings import Settings

app = create_app(Settings.from_env())
