"""The portal inside a tenant's own site: loader, frame, data for a front end of their own."""

from portal.embed.views import blueprint

__all__ = ["blueprint"]
