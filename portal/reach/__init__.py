"""How jobs are found: structured data, sitemaps, feeds, and shapes that other programs know.

A feed is a module with a generator (feed); an edition of it is a file (editions), made in a thread (press) and sent by
the front (sending).
"""

from portal.reach.views import blueprint

__all__ = ["blueprint"]
