"""For WSGI servers: `granian --interface wsgi wsgi:app`, `gunicorn wsgi:app`."""

from portal.app import from_env

app = from_env()
