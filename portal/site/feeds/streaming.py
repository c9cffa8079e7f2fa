"""A feed as a response: the edition of the currently open jobs, sent as a file by the gateway."""

import json
import logging
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime
from functools import partial
from hashlib import blake2b
from os import getuid
from pathlib import Path
from stat import S_ISDIR
from typing import TYPE_CHECKING

from flask import Response, request

from portal.background.sync.health import was_read_whole
from portal.background.sync.tables import ListName
from portal.delivery.uploads.disk_space import Disks, FreeSpace
from portal.gateway.compression import Coding, chosen
from portal.gateway.concurrency import ConcurrencyLimit
from portal.gateway.response import Variant
from portal.gateway.response_cache import ENV_REVALIDATES, CacheableResponse, Lifetime
from portal.jobs import open_jobs
from portal.jobs.mirror import version
from portal.platform.clock import Clock
from portal.platform.database.db import Database
from portal.platform.errors import FeedIncomplete, PortalError, error_location
from portal.site import headers
from portal.site.feeds.editions import Edition, Editions, MadeElsewhere
from portal.site.feeds.feed import Feed, FeedContext
from portal.site.page_cache import PageCache
from portal.tenants.addresses import addresses
from portal.tenants.model import Tenant

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

log = logging.getLogger(__name__)

WITHIN = 300.0
"""Seconds that building one edition may take."""
_AT_ONCE = 4
"""Tenants whose feeds one process builds at once."""
_WAITING = 16
"""Requests that may wait at the same time; others get the last edition."""
_RESTS = 30.0
"""Seconds after a failure before the next attempt."""
_FAILURES_MOST = 1_000

Job = tuple[str, str, str]
"""(slug, feed, key)."""


class EditionBuilder:
    """The builder of editions; one in each process."""

    def __init__(self, editions: Editions, clock: Clock) -> None:
        self._editions = editions
        self._clock = clock
        self._changed = threading.Condition()
        self._running: set[str] = set()
        self._failed: dict[Job, tuple[float, str]] = {}
        self._places = threading.Semaphore(_WAITING)

    def edition(self, job: Job, pieces: Callable[[], Iterable[str]], *, timeout: float) -> tuple[Edition, bool]:
        """Return the edition of this key and True; while it is built, the last one and False. Raises FeedIncomplete.

        timeout: seconds for which this thread may wait, once for the edition being built before it and once for its
        own.
        """
        found = self._editions.find(*job)
        if found is None:
            waits = self._places.acquire(blocking=False)
            try:
                found = self._awaited(job, pieces, timeout if waits else 0.0)
            finally:
                if waits:
                    self._places.release()
        if found is not None:
            return found, True
        self._refuse_what_failed(job)
        if last := self._editions.last(job[0], job[1]):
            return last, False
        raise FeedIncomplete(f"{job[1]} of {job[0]} is being made for the first time")

    def _awaited(self, job: Job, pieces: Callable[[], Iterable[str]], timeout: float) -> Edition | None:
        slug = job[0]
        with self._changed:
            self._changed.wait_for(lambda: self._is_free(slug), timeout=timeout)
            self._refuse_what_failed(job)
            if found := self._editions.find(*job):
                return found
            if self._is_free(slug):
                self._running.add(slug)
                threading.Thread(target=self._make, args=(job, pieces), daemon=True, name=f"feed of {slug}").start()
            self._changed.wait_for(lambda: slug not in self._running, timeout=timeout)
        return self._editions.find(*job)

    def _is_free(self, slug: str) -> bool:
        return slug not in self._running and len(self._running) < _AT_ONCE

    def _make(self, job: Job, pieces: Callable[[], Iterable[str]]) -> None:
        why = None
        try:
            self._editions.make(*job, pieces(), within=WITHIN)
        except MadeElsewhere as error:
            log.info("%s", error)  # no failure: meanwhile the last one is sent
        except PortalError as error:
            why = str(error)
        except Exception as error:  # noqa: BLE001  a thread has no caller that could handle it
            why = f"an internal error: {error_location(error)}"
        with self._changed:
            self._running.discard(job[0])
            self._failed.pop(job, None)
            if why:
                log.warning("%s of %s cannot be built completely: %s", job[1], job[0], why)
                while len(self._failed) >= _FAILURES_MOST:
                    self._failed.pop(next(iter(self._failed)))
                self._failed[job] = (self._clock.monotonic() + _RESTS, why)
            self._changed.notify_all()

    def _refuse_what_failed(self, job: Job) -> None:
        until, why = self._failed.get(job, (0.0, ""))
        if self._clock.monotonic() < until:
            raise FeedIncomplete(why)


_SHAPE = "1"
"""The version of what feeds write; a new value makes every edition be built anew."""
_TIMEOUT = 2.0
_FIRST = 10.0
"""Seconds to wait for the first edition, because there is no older one to send."""
_ASKING = 0.2
"""Seconds to wait in a request that revalidates a cached response (ENV_REVALIDATES); others get the old one."""
_MEANWHILE = 0.5
"""Seconds for which an edition that is not the newest is sent without checking again."""


class FeedStreaming:
    """The responses of feeds; one in each process."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        concurrency: ConcurrencyLimit,
        cache: PageCache,
        *,
        base_url: str,
        space: FreeSpace,
    ) -> None:
        self._database, self._clock, self._concurrency, self._base_url = database, clock, concurrency, base_url
        self.cache = cache
        folder = folder_of(database)
        self._editions = Editions(folder, clock, Disks({"feeds": folder}, space))
        self._press = EditionBuilder(self._editions, clock)

    def answer(self, tenant: Tenant, feed: Feed) -> Response:
        """Return the feed as a file. Raises FeedIncomplete."""
        return self.cache.made(tenant, feed.name, partial(self._cacheable, tenant, feed))

    def edition(self, tenant: Tenant, feed: Feed) -> Edition:
        """Return the feed's newest complete edition. Raises FeedIncomplete."""
        tag = version.current(self._database, tenant.slug, self._clock.now()).tag
        return self._edition(tenant, feed, tag)[0]

    def _cacheable(self, tenant: Tenant, feed: Feed, tag: str, lifetime: Lifetime) -> tuple[CacheableResponse, bool]:
        edition, is_current = self._edition(tenant, feed, tag)
        if not is_current:
            lifetime = Lifetime(self._clock.monotonic() + _MEANWHILE)
        response = for_everyone(Response(content_type=f"{feed.media_type}; charset=utf-8"))
        response.headers["Cache-Control"] = headers.PUBLIC_CACHE
        headers.finish(response)
        return CachedFile(response.headers, edition.files, etag=edition.etag, lifetime=lifetime), is_current

    def _edition(self, tenant: Tenant, feed: Feed, tag: str) -> tuple[Edition, bool]:
        if not was_read_whole(self._database, ListName.VACANCIES, tenant.slug):
            raise FeedIncomplete(f"the vacancies of {tenant.slug} were never synced completely: see `portal check`")
        timeout = _TIMEOUT if self._editions.last(tenant.slug, feed.name) else _FIRST
        if request.environ.get(ENV_REVALIDATES):
            timeout = _ASKING
        job = (tenant.slug, feed.name, self._key(tenant, tag))
        with self._concurrency.slot_released():
            return self._press.edition(job, partial(self._pieces, tenant, feed), timeout=timeout)

    def _pieces(self, tenant: Tenant, feed: Feed) -> Iterator[str]:
        yield from feed.write(
            self.feed_context(tenant), open_jobs.open_postings(self._database, tenant, self._clock.now())
        )

    def feed_context(self, tenant: Tenant) -> FeedContext:
        """Return the context from which a feed of the tenant is generated now."""
        return feed_context(self._database, tenant, self._clock.now(), base_url=self._base_url)

    def _key(self, tenant: Tenant, tag: str) -> str:
        """Return a hash of everything that a feed is made from; it is the same in every process."""
        tenant_settings = asdict(tenant)
        del tenant_settings["tracker"]
        made_of = json.dumps([_SHAPE, tag, self._base_url, tenant_settings], default=sorted, sort_keys=True)
        return blake2b(made_of.encode(), digest_size=16).hexdigest()


def feed_context(database: Database, tenant: Tenant, now: datetime, *, base_url: str) -> FeedContext:
    """Return the tenant, addresses and time of last change that a feed is made with."""
    site = addresses(tenant, base_url=base_url).outside()
    return FeedContext(tenant, site, open_jobs.changed_at(database, tenant, now) or now)


def for_everyone(response: Response) -> Response:
    """Let the pages of every site read the response: it is public, and the same for everyone."""
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


def folder_of(database: Database, temporary: Path | None = None) -> Path:
    """Return the folder beside SQLite's file; for other databases, one of this user's own in the temporary folder."""
    file = database.file
    if file is not None:
        return file.parent / "feeds"
    own = (temporary or Path(tempfile.gettempdir())) / f"careers-portal-{getuid()}"
    with suppress(OSError):  # if the folder cannot be created, the first feed that is written reports it
        own.mkdir(mode=0o700, exist_ok=True)
        found = own.lstat()
        if found.st_uid != getuid() or found.st_mode & 0o077 or not S_ISDIR(found.st_mode):
            # another user created the folder, and could place a feed in it.
            return Path(tempfile.mkdtemp(dir=temporary))
    return own / blake2b(str(database.engine.url).encode(), digest_size=8).hexdigest()


class CachedFile:
    """Cached response of status 200 whose body is a file, one for each coding that it was made in.

    lines: its headers; ETag, Content-Length and Vary are added here. files: with their sizes in bytes; IDENTITY is
    required. etag: without quotes.
    """

    __slots__ = ("_sizes", "_variants", "lifetime", "size")

    def __init__(
        self,
        lines: Iterable[tuple[str, str]],
        files: Mapping[Coding, tuple[Path, int]],
        *,
        etag: str,
        lifetime: Lifetime,
    ) -> None:
        own = [*lines]
        self._sizes = {coding: size for coding, (_, size) in files.items()}
        self._variants = {
            coding: Variant.of(own, file, size, coding, etag, varies=True) for coding, (file, size) in files.items()
        }
        self.lifetime = lifetime
        self.size = 0

    def variant(
        self,
        environ: "WSGIEnvironment",
        *,
        at_once: bool = False,  # noqa: ARG002  nothing is compressed here
    ) -> Variant | None:
        """Return the variant that suits the request; None if the file was deleted, or its length has changed."""
        coding = chosen(environ.get("HTTP_ACCEPT_ENCODING"), tuple(self._variants))
        found = self._variants[coding]
        return found if isinstance(found.body, Path) and _size(found.body) == self._sizes[coding] else None

    def forget(self) -> None:
        """Do nothing: no part of the body is in memory."""


def _size(file: Path) -> int | None:
    """Return the file's bytes; None if it does not exist."""
    try:
        return file.stat().st_size
    except FileNotFoundError:
        return None
