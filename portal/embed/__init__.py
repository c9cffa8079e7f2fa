"""The portal inside a tenant's own site: loader, frame, data for a front end of their own."""

from portal.embed.frame import blueprint

__all__ = ["blueprint"]
