"""The portal inside a tenant's own website: the loader script, the frame, and jobs as JSON for a front end of their
own.

Start reading at views; the data for programs is defined in shapes.
"""

from portal.site.embed.views import blueprint

__all__ = ["blueprint"]
