"""Answers that are made once and sent many times, each in every coding that was asked for.

An answer belongs to a lifetime, which says how long it may be sent without asking whether it still holds. When that is
over, one request goes on to the application, which asks; those beside it still get the kept answer for a moment, so
that a crowd does not ask all at once.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable
from enum import Enum, auto
from math import inf
from typing import TYPE_CHECKING, Protocol

from portal.clock import Clock
from portal.front.answer import Answer, Variant
from portal.front.coding import SMALLEST, Coding, chosen, coded, may_be_coded
from portal.front.visits import PLACE, Place

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

KEPT = "portal.front.kept"
"""In the WSGI environment, set by the application: the Keepable that it answers with."""
ASKS = "portal.front.asks"
"""In the WSGI environment: whether this request is the one that has the application ask."""
SITE = "portal.front.site"
"""In the WSGI environment, set before the front: which of several sites on this server is asked for."""


Address = tuple[object, str, str]
"""Site, path and query, as they came."""

_ASKING = 1.0
"""Seconds for which others are answered from memory while one asks."""
_LONGEST = 300
"""Characters of a path or a query under which an answer is found again."""


class Standing(Enum):
    """Of an answer, for one request."""

    HOLDS = auto()
    """It is sent as it is."""
    ASK = auto()
    """This request has the application ask; it needs no room, for it is one alone and soon done."""
    OVER = auto()
    """It was ended, or asking takes long: the request is one like any other."""


class Lifetime:
    """Shared by the answers that end together. until: on the monotonic clock."""

    __slots__ = ("_is_asked", "_until")

    def __init__(self, until: float) -> None:
        self._until = until
        self._is_asked = False

    @property
    def ended(self) -> bool:
        """Whether it was ended, and not only has to be asked for."""
        return self._until == -inf

    def standing(self, now: float) -> Standing:
        """What the next request does; one alone is told to ask."""
        if now < self._until or (self._is_asked and now < self._until + _ASKING):
            return Standing.HOLDS
        if self._is_asked or self.ended:
            return Standing.OVER
        self._is_asked = True
        return Standing.ASK

    def extend(self, until: float) -> None:
        """It was asked, and holds until then."""
        self._until, self._is_asked = until, False

    def end(self) -> None:
        """It was asked, and holds no more."""
        self.extend(-inf)


FOR_EVER = Lifetime(inf)


class Keepable(Protocol):
    """An answer that the front may send by itself, wherever its bytes lie."""

    @property
    def lifetime(self) -> Lifetime:
        """How long it holds."""
        ...

    @property
    def size(self) -> int:
        """Bytes of memory that it takes, roughly and at most."""
        ...

    def variant(self, environ: "WSGIEnvironment") -> Variant | None:
        """As this request takes it; None where it is there no more."""
        ...

    def forget(self) -> None:
        """Give its memory back, whoever still knows it."""
        ...


class Kept:
    """An answer of status 200. lines: its headers; ETag and Content-Length are set here, and what it varies by besides.

    etag: without quotes; each coding has a strong one of its own (RFC 9110 §8.8.3). readers: origins whose scripts may
    read it; None where no other site's may, whatever it is.
    """

    __slots__ = ("_body", "_code", "_etag", "_lines", "_may_be_coded", "_readers", "_variants", "lifetime", "size")

    def __init__(
        self,
        lines: Iterable[tuple[str, str]],
        body: bytes,
        *,
        etag: str,
        lifetime: Lifetime,
        code: Callable[[bytes, Coding], bytes] = coded,
        readers: Iterable[str] | None = None,
    ) -> None:
        self._lines = [*lines]
        self._body: bytes | None = body
        self._etag = etag
        self._code = code
        self._readers = None if readers is None else frozenset(readers)
        kind = next((value for name, value in self._lines if name.lower() == "content-type"), "")
        self._may_be_coded = len(body) >= SMALLEST and may_be_coded(kind)
        self._variants: dict[Coding, Variant] = {}
        self.lifetime = lifetime
        self.size = 2 * len(body)
        """Bytes of the body with its codings, at most; each is far smaller than the body."""

    def code_all(self) -> None:
        """Make every variant now."""
        for coding in Coding:
            self._variant(coding)

    def variant(self, environ: "WSGIEnvironment") -> Variant | None:
        """As this request takes it; None once it was forgotten."""
        return self._variant(chosen(environ.get("HTTP_ACCEPT_ENCODING")))

    def forget(self) -> None:
        """Give its memory back, whoever still knows it."""
        self._body = None
        self._variants = {}

    def _variant(self, coding: Coding) -> Variant | None:
        if not self._may_be_coded:
            coding = Coding.IDENTITY
        variants, body = self._variants, self._body
        if body is not None and coding not in variants:
            variants[coding] = self._made(body, coding)
        return variants.get(coding)

    def _made(self, body: bytes, coding: Coding) -> Variant:
        if coding is not Coding.IDENTITY:
            body = self._code(body, coding)
        return Variant.of(
            self._lines, body, len(body), coding, self._etag, varies=self._may_be_coded, readers=self._readers
        )


class Answers:
    """Kept answers by the address that was asked for, as it came: path and query need no reading."""

    def __init__(self, clock: Clock, *, most: int = 10_000) -> None:
        self._clock = clock
        self._most = most
        self._known: OrderedDict[Address, tuple[Keepable, Place | None]] = OrderedDict()
        self._lock = threading.Lock()

    def find(self, address: Address, environ: "WSGIEnvironment") -> Answer | None:
        """What to answer this GET or HEAD with, if it is known and holds."""
        found, place = self._known.get(address, (None, None))
        standing = found.lifetime.standing(self._clock.monotonic()) if found else Standing.OVER
        if found is None or standing is not Standing.HOLDS:
            environ[ASKS] = standing is Standing.ASK
            return None
        variant = found.variant(environ)
        if variant is None:
            return None
        environ[PLACE] = place
        return variant.answer(environ)

    def keep(self, address: Address, kept: Keepable, place: Place | None = None) -> None:
        """Send it at once to who asks for this address. The address that was learnt first is given up first.

        place: what the address leads to, for the line of each who asks.
        """
        if kept.lifetime.ended or len(address[1]) + len(address[2]) > _LONGEST:
            return
        with self._lock:
            self._known[address] = kept, place
            while len(self._known) > self._most:
                self._known.popitem(last=False)
