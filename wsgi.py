"""For servers of WSGI alone: `gunicorn wsgi:app`. Sending slow senders away is then the server's affair."""

from portal.app import from_env
from portal.cli.log_fatal import logging_fatal_errors
from portal.platform.logs import Part

with logging_fatal_errors(Part.SERVE, status=3):  # by which gunicorn knows that another process would fail, too
    app = from_env()
