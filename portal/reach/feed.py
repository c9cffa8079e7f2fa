"""What a feed is: a name, a media type, and a generator that turns open jobs into text. A new one is one module."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from portal.tenants.addresses import Addresses
from portal.tenants.model import Tenant
from portal.vacancies.posting import Posting


@dataclass(frozen=True, slots=True)
class Board:
    """Whose jobs they are. site: absolute links, in the tenant's first language. changed_at: of what is open, UTC."""

    tenant: Tenant
    site: Addresses
    changed_at: datetime


def _nothing(_board: Board, _posting: Posting) -> list[str]:
    return []


@dataclass(frozen=True, slots=True)
class Feed:
    """name: of its file, and of its address below the tenant's. write: yields pieces as small as it likes.

    lacks: what keeps a job from being taken by who reads the feed; each a phrase for operators.
    """

    name: str
    media_type: str
    write: Callable[[Board, Iterable[Posting]], Iterator[str]]
    lacks: Callable[[Board, Posting], list[str]] = _nothing


def listed(items: Iterable[str]) -> Iterator[str]:
    """Pieces of a JSON array's inside."""
    between = ""
    for item in items:
        yield between + item
        between = ",\n"
