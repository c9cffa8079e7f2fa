"""The folder of tenant files. Each is reloaded when it, or the key file that it names, changes."""

import logging
import re
import threading
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from portal.contract.bounds import SLUG
from portal.platform.clock import Clock
from portal.platform.config.settings import secret_file
from portal.platform.errors import PortalError, SettingsError
from portal.tenants.model import Tenant
from portal.tenants.toml import line_of, parse

log = logging.getLogger(__name__)

_CHECK_EVERY = 0.5
"""Seconds between scans of the folder: changes seem immediate to a person, and pages cost no stat calls."""

_Stamps = dict[Path, tuple[int, int, int, int] | None]
"""File attributes by which a change is detected; None if the file does not exist."""


@dataclass(frozen=True, slots=True)
class _Loaded:
    stamps: _Stamps
    """Of the tenant file, and of the key file that it names."""
    tenant: Tenant | None
    problem: str | None
    hosts_line: int = 1
    """The line of the file that names its hosts."""
    key_file: str | None = None
    """The file of the API key, as the tenant file names it."""


class TenantMissing(PortalError):
    """The tenant's file is missing or invalid; work for this tenant waits until it is fixed."""

    transient = True


_OF_FILES = (("tracker", "api_key"), ("webhooks", "secret"), ("webhooks", "former_secret"), ("push", "google"))


def named_files(text: str) -> dict[str, str]:
    """Return the files of secrets that a tenant file names: name of the setting → path as written there.

    For a file that is not valid TOML, return those that can be recognised.
    """
    try:
        data = tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError:
        names = "|".join(name for _, name in _OF_FILES)
        return dict(re.findall(rf"""\b({names})["']?\s*=\s*["']+file:([^"'\n]+)""", text))
    tables = ((data.get(section), name) for section, name in _OF_FILES)
    values = {name: table.get(name) for table, name in tables if isinstance(table, dict)}
    parts = {name: value.partition(":") for name, value in values.items() if isinstance(value, str)}
    return {name: path for name, (kind, _, path) in parts.items() if kind == "file" and path}


class Tenants:
    """Every tenant by slug.

    A file that is invalid from the start yields no tenant, only a problem. If it becomes invalid while its tenant is
    served, the last valid version stays in use and the problem is reported: a typing error takes no site down. The key
    file that it names counts as part of it.

    A host belongs to one tenant. If two files name it, it stays with the tenant that has it, at the start with the
    first by slug. The other tenant is served without that host, which is reported as its problem. portal_host, the
    portal's own host, cannot be any tenant's. http_everywhere: as in toml.parse.
    """

    def __init__(
        self,
        folder: Path,
        *,
        read_secret: Callable[[str], str],
        clock: Clock,
        portal_host: str | None = None,
        http_everywhere: bool = False,
    ) -> None:
        self._folder = folder
        self._portal_host = portal_host
        self._http_everywhere = http_everywhere
        self._read_secret = read_secret
        self._clock = clock
        self._lock = threading.Lock()
        self._files: dict[str, _Loaded] = {}
        self._hosts: dict[str, str] = {}
        self._tenants: dict[str, Tenant] = {}
        self._refused: dict[str, str] = {}
        self._checked_at: float | None = None

    def get(self, slug: str) -> Tenant | None:
        """Return the tenant with that slug, or None."""
        self._current()
        return self._tenants.get(slug)

    def require(self, slug: str) -> Tenant:
        """Return the tenant with that slug. Raises TenantMissing."""
        tenant = self.get(slug)
        if tenant is None:
            raise TenantMissing(f"tenant {slug} has no usable file")
        return tenant

    def all(self) -> list[Tenant]:
        """Return every tenant that can be served, by slug."""
        self._current()
        return [tenant for _, tenant in sorted(self._tenants.items())]

    def problems(self) -> dict[str, str]:
        """Return slug (or file stem) → the file's name and what is wrong with it, for log, check and console."""
        broken = {slug: loaded.problem for slug, loaded in self._current().items() if loaded.problem}
        return dict(sorted({**self._refused, **broken}.items()))

    def key_file(self, slug: str) -> str | None:
        """Return the file of the tenant's API key, as its tenant file names it; None if it is no file, or no tenant."""
        loaded = self._current().get(slug)
        return loaded.key_file if loaded else None

    def by_host(self, host: str) -> Tenant | None:
        """Return the tenant whose own domain this is, or None."""
        self._current()
        slug = self._hosts.get(host.lower())
        return self._tenants.get(slug) if slug else None

    def _current(self) -> dict[str, _Loaded]:
        now = self._clock.monotonic()
        if self._checked_at is None or now - self._checked_at >= _CHECK_EVERY:
            with self._lock:
                self._look()
                self._checked_at = now
        return self._files

    def _look(self) -> None:
        found: dict[str, _Loaded] = {}
        paths = sorted(self._folder.glob("*.toml")) if self._folder.is_dir() else []
        for path in paths:
            before = self._files.get(path.stem)
            is_same = before is not None and before.stamps == _stamped(before.stamps)
            found[path.stem] = before if before and is_same else self._load(path, before)
        if found != self._files:
            self._give_hosts(found)
            self._files = found

    def _load(self, path: Path, before: _Loaded | None) -> _Loaded:
        stamps = _stamped([path])
        key_file = None

        def read(reference: str) -> str:
            if file := secret_file(reference):
                stamps.update(_stamped([file]))  # before reading it, so that the next scan notices a change in between
            return self._read_secret(reference)

        try:
            if not SLUG.fullmatch(path.stem):
                raise SettingsError("the file's name is not a slug: expected a-z 0-9 -, at most 50, no - in front")
            text = _text(path)
            key_file = named_files(text).get("api_key")
            tenant = parse(path.stem, text, read_secret=read, http_everywhere=self._http_everywhere)
        except SettingsError as exc:
            problem = f"{path.name}: {exc}"
            log.error("tenant file %s", problem)  # noqa: TRY400  the problem is the message; a traceback adds nothing
            return _Loaded(stamps, before.tenant if before else None, problem, key_file=key_file)
        return _Loaded(stamps, tenant, None, line_of(text, ["site", "hosts"]) or 1, key_file)

    def _give_hosts(self, files: dict[str, _Loaded]) -> None:
        tenants = {slug: loaded.tenant for slug, loaded in sorted(files.items()) if loaded.tenant}
        had = self._hosts.items()
        hosts = {host: slug for host, slug in had if slug in tenants and host in tenants[slug].site.hosts}
        refused: dict[str, str] = {}
        for slug, tenant in tenants.items():
            mine: list[str] = []
            for host in tenant.site.hosts:
                where = f"{slug}.toml: line {files[slug].hosts_line}: site.hosts"
                if host == self._portal_host:
                    refused[slug] = f"{where}: {host} is the portal's own, by PORTAL_BASE_URL: leave it out"
                elif (holder := hosts.setdefault(host, slug)) != slug:
                    both = f"is named by {holder}.toml too, and stays {holder}'s: take it out of one of them"
                    refused[slug] = f"{where}: {host} {both}"
                else:
                    mine.append(host)
            if slug in refused:
                log.error("tenant file %s", refused[slug])
                # Remove these hosts, because links are built from hosts and would lead to another tenant's site.
                tenants[slug] = replace(tenant, site=replace(tenant.site, hosts=tuple(mine)))
        self._tenants, self._hosts, self._refused = tenants, hosts, refused


def _text(path: Path) -> str:
    """Return the file's text without a byte order mark. Raises SettingsError with what to do."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as exc:
        line = exc.object.count(b"\n", 0, exc.start) + 1
        raise SettingsError(f"line {line}: not UTF-8 text: save the file as UTF-8") from exc
    except IsADirectoryError as exc:
        raise SettingsError("this is a folder: expected a file; give the folder a name without .toml") from exc
    except PermissionError as exc:
        raise SettingsError("the portal has no permission to read it: make the portal's user its owner") from exc
    except FileNotFoundError as exc:
        raise SettingsError("it points to a file that does not exist: fix the link, or remove it") from exc
    except OSError as exc:
        raise SettingsError(f"it cannot be read ({exc.strerror or type(exc).__name__}): fix its disk or link") from exc


def _stamped(files: Iterable[Path]) -> _Stamps:
    return {file: _stamp(file) for file in files}


def _stamp(file: Path) -> tuple[int, int, int, int] | None:
    try:
        stat = file.stat()
    except (OSError, ValueError):  # ValueError: not a possible file name
        return None
    return (stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, stat.st_ino)
