"""Subscribe to a search by e-mail, confirm it, renew it, end it.

limits  how often one network may ask
saying  a search in words, and what the list calls it
views   the blueprint
"""

from portal.subscribe.views import blueprint

__all__ = ["blueprint"]
