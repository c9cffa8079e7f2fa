"""List, job page, and the search query as an address."""

from portal.browse.views import blueprint

__all__ = ["blueprint"]
