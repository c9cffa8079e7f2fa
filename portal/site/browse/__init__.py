"""The job list and the job page, built from the vacancy mirror (portal/jobs). Start reading at views."""

from portal.site.browse.views import blueprint

__all__ = ["blueprint"]
