"""A feed as an answer: the edition of what is open this moment, sent as a file by the front."""

import json
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from hashlib import blake2b
from os import getuid
from pathlib import Path
from stat import S_ISDIR

from flask import Response, request

from portal.errors import NotWhole
from portal.front.kept import ASKS, Keepable, Lifetime
from portal.front.kept_file import KeptFile
from portal.parts import Parts
from portal.passes.health import was_read_whole
from portal.passes.tables import ListName
from portal.reach.editions import Edition, Editions
from portal.reach.feed import Board, Feed
from portal.reach.press import Press
from portal.tenants.addresses import addresses
from portal.tenants.model import Tenant
from portal.uploads.space import Disks
from portal.vacancies import version, whole
from portal.web import headers
from portal.web.page_cache import PageCache

_SHAPE = "1"
"""Of what feeds write: another one, and every edition is made anew."""
_PATIENCE = 2.0
_FIRST = 10.0
"""Seconds: there is nothing else to send."""
_ASKING = 0.2
"""Seconds: the front has others wait meanwhile."""
_MEANWHILE = 0.5
"""Seconds for which an edition that is not the newest is sent without asking again."""


class Sending:
    """What views ask for a feed; one in a process."""

    def __init__(self, parts: Parts, kept: PageCache) -> None:
        self._parts = parts
        self.kept = kept
        folder = folder_of(parts)
        self._editions = Editions(folder, parts.clock, Disks({"feeds": folder}, parts.disks.space))
        self._press = Press(self._editions, parts.clock)

    def answer(self, tenant: Tenant, feed: Feed) -> Response:
        """The feed as a file. Raises NotWhole."""
        return self.kept.made(tenant, feed.name, partial(self._keepable, tenant, feed))

    def edition(self, tenant: Tenant, feed: Feed) -> Edition:
        """The feed's newest whole edition. Raises NotWhole."""
        tag = version.current(self._parts.database, tenant.slug, self._parts.clock.now()).tag
        return self._edition(tenant, feed, tag)[0]

    def _keepable(self, tenant: Tenant, feed: Feed, tag: str, lifetime: Lifetime) -> tuple[Keepable, bool]:
        edition, is_current = self._edition(tenant, feed, tag)
        if not is_current:
            lifetime = Lifetime(self._parts.clock.monotonic() + _MEANWHILE)
        response = for_everyone(Response(content_type=f"{feed.media_type}; charset=utf-8"))
        response.headers["Cache-Control"] = headers.PUBLIC_CACHE
        headers.finish(response)
        return KeptFile(response.headers, edition.files, etag=edition.etag, lifetime=lifetime), is_current

    def _edition(self, tenant: Tenant, feed: Feed, tag: str) -> tuple[Edition, bool]:
        if not was_read_whole(self._parts.database, ListName.VACANCIES, tenant.slug):
            raise NotWhole(f"the vacancies of {tenant.slug} were never read to their end: see `portal check`")
        patience = _PATIENCE if self._editions.last(tenant.slug, feed.name) else _FIRST
        if request.environ.get(ASKS):
            patience = _ASKING
        job = (tenant.slug, feed.name, self._key(tenant, tag))
        with self._parts.room.left():
            return self._press.edition(job, partial(self._pieces, tenant, feed), patience=patience)

    def _pieces(self, tenant: Tenant, feed: Feed) -> Iterator[str]:
        now, database = self._parts.clock.now(), self._parts.database
        board = board_of(self._parts, tenant)
        yield from feed.write(board, whole.open_postings(database, tenant, now))

    def _key(self, tenant: Tenant, tag: str) -> str:
        """Of everything that a feed is made of, the same in every process."""
        said = asdict(tenant)
        del said["tracker"]
        made_of = json.dumps([_SHAPE, tag, self._parts.settings.base_url, said], default=sorted, sort_keys=True)
        return blake2b(made_of.encode(), digest_size=16).hexdigest()


def board_of(parts: Parts, tenant: Tenant) -> Board:
    """Whose jobs a feed is made of."""
    site = addresses(tenant, base_url=parts.settings.base_url).outside()
    now = parts.clock.now()
    return Board(tenant, site, whole.changed_at(parts.database, tenant, now) or now)


def for_everyone(response: Response) -> Response:
    """Let the pages of every site read it: it is public, and nobody's own."""
    response.headers["Access-Control-Allow-Origin"] = "*"
    response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
    return response


def folder_of(parts: Parts, temporary: Path | None = None) -> Path:
    """Beside SQLite's file; where there is none, one of this user's own in the folder of temporary files."""
    file = parts.database.file
    if file is not None:
        return file.parent / "feeds"
    own = (temporary or Path(tempfile.gettempdir())) / f"careers-portal-{getuid()}"
    with suppress(OSError):  # what cannot be made is said by the first feed that wants to be written
        own.mkdir(mode=0o700, exist_ok=True)
        found = own.lstat()
        if found.st_uid != getuid() or found.st_mode & 0o077 or not S_ISDIR(found.st_mode):
            # Somebody else was there first, and could put a feed of theirs into it.
            return Path(tempfile.mkdtemp(dir=temporary))
    return own / blake2b(str(parts.database.engine.url).encode(), digest_size=8).hexdigest()
