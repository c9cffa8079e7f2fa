"""The formats of feeds, a module for each. Every module of this folder has a FEED, which is served at /{slug}/NAME."""

from importlib import import_module
from pkgutil import iter_modules

from portal.site.feeds.feed import Feed

FEEDS: tuple[Feed, ...] = tuple(import_module(f"{__name__}.{module.name}").FEED for module in iter_modules(__path__))
