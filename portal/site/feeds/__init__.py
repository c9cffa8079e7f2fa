"""How jobs are found elsewhere: structured data, sitemaps, share pictures, feeds, and the APIs of other job boards.

A feed is a module in formats/ with a generator (feed.py); an edition of it is a set of files (editions.py), which a
thread builds and the gateway sends (streaming.py). Start reading at views for feeds, and at discovery for what pages
carry and crawlers fetch.
"""

from portal.site.feeds.views import blueprint

__all__ = ["blueprint"]
