"""What a feed is: a name, a media type, and a generator that turns open jobs into text.

A new feed is one module in formats/.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from portal.jobs.posting import Posting
from portal.tenants.addresses import Addresses
from portal.tenants.model import Tenant


@dataclass(frozen=True, slots=True)
class FeedContext:
    """Whose jobs a feed lists. site: absolute links in the tenant's first language. changed_at: of open jobs, UTC."""

    tenant: Tenant
    site: Addresses
    changed_at: datetime


def _no_problems(_board: FeedContext, _posting: Posting) -> list[str]:
    return []


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed. name: of its file, and of its address below the tenant's. write: yields pieces of any size.

    problems: returns why a reader of the feed would not accept a job, each a phrase for operators. leaves_out: whether
    the feed omits such jobs. https_for: the reader that accepts only https addresses, "" if none does.
    """

    name: str
    media_type: str
    write: Callable[[FeedContext, Iterable[Posting]], Iterator[str]]
    problems: Callable[[FeedContext, Posting], list[str]] = _no_problems
    leaves_out: bool = False
    https_for: str = ""


def listed(items: Iterable[str]) -> Iterator[str]:
    """Yield the pieces of a JSON array, without its brackets."""
    between = ""
    for item in items:
        yield between + item
        between = ",\n"
