"""For servers of WSGI alone: `gunicorn wsgi:app`. Sending slow senders away is then the server's affair."""

from portal.app import from_env
from portal.cli.log_fatal import failing_aloud
from portal.platform.logs import Part

with failing_aloud(Part.SERVE, status=3):  # by which gunicorn knows that another process would fail, too
    app = from_env()
