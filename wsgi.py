"""For servers of WSGI alone: `gunicorn wsgi:app`. Sending slow senders away is then the server's affair."""

from portal.app import from_env

app = from_env()
