"""The stated contents of a backup, `manifest.json` in its folder; and the time of the last backup."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import sqlalchemy as sa
from pydantic import Field, TypeAdapter, ValidationError

from portal.platform.database.db import Database, Instant, metadata
from portal.platform.errors import PortalError

NAME = "manifest.json"
_PART = ".part"
_INSTANT = "%Y%m%dT%H%M%SZ"
_NAMES = "[0-9]*T[0-9]*Z"
_MOST = 64 * 1024 * 1024
"""Bytes of a manifest."""
_MB = 1_000_000
_LARGEST = 2**62

backups = sa.Table(
    "backups",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("taken_at", Instant, nullable=False),
)
"""One row. taken_at: when the newest complete backup began; later data is not in it."""

Report = Callable[[str, int, int], object]
"""Called with the name of the current step, the amount done and the total (bytes, or files); 0: unknown."""


class BackupError(PortalError):
    """A backup cannot be made, read or restored; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class DatabaseCopy:
    """A database in a backup. engine: sqlite or postgresql. rows: by table. sha256: of the file, in hex."""

    name: Annotated[str, Field(pattern="^(portal|tracker)$")]
    engine: Annotated[str, Field(pattern="^(sqlite|postgresql)$")]
    file: Annotated[str, Field(pattern="^[a-z]+[.][a-z]+$")]
    size: Annotated[int, Field(ge=0, le=_LARGEST)]
    sha256: str
    schema: str
    rows: dict[str, int]


@dataclass(frozen=True, slots=True)
class Manifest:
    """release: of the product. files, file_bytes: stored files. missing: deliveries whose file was gone already.

    keys: file in the backup's folder `keys` → the path that tenant files name. secrets: fingerprints of the secret keys
    that its sealed data needs, never the keys. lost: key files that tenant files name and that could not be read.
    unreadable: how many rows are sealed with keys that were not set, in words.
    """

    release: str
    taken_at: datetime
    seconds: float
    databases: tuple[DatabaseCopy, ...]
    files: Annotated[int, Field(ge=0, le=_LARGEST)]
    file_bytes: Annotated[int, Field(ge=0, le=_LARGEST)]
    missing: int
    list_sha256: str
    texts_sha256: str
    tenants: dict[str, str]
    keys: dict[str, str]
    secrets: tuple[str, ...]
    lost: tuple[str, ...] = ()
    unreadable: str = ""

    def write(self, folder: Path) -> None:
        """Write it into a backup's folder. Raises OSError."""
        text = json.dumps({**asdict(self), "taken_at": self.taken_at.isoformat()}, indent=1)
        (folder / NAME).write_text(text + "\n", encoding="utf-8")

    @classmethod
    def read(cls, folder: Path) -> "Manifest":
        """Read a backup's manifest. Raises BackupError."""
        file = folder / NAME
        try:
            if file.stat().st_size > _MOST:
                raise BackupError(f"{file} is no manifest of a backup: it is too large")
            found: Manifest = _shape.validate_json(file.read_bytes())
            if [copy.name for copy in found.databases].count("portal") != 1:
                raise BackupError(f"{file} names no database of the portal: choose another backup")
        except (OSError, ValidationError) as error:
            raise BackupError(f"{file} cannot be read ({type(error).__name__}): choose another backup") from error
        return found

    def in_words(self) -> str:
        """Return lines about what the backup contains, for its operator."""
        lines = [
            f"release    {self.release}",
            f"taken at   {self.taken_at:%Y-%m-%d %H:%M:%S} UTC, in {self.seconds:.1f} s",
            *(
                f"{copy.name:<9}  {copy.engine}, schema {copy.schema}, {sum(copy.rows.values())} rows, "
                f"{size_in_words(copy.size)}"
                for copy in self.databases
            ),
            f"files      {self.files}, {size_in_words(self.file_bytes)}",
            f"tenants    {', '.join(sorted(Path(name).stem for name in self.tenants.values())) or 'none'}",
            f"keys       {len(self.keys)} files",
            f"needs      secret keys with the fingerprints {', '.join(self.secrets)}",
        ]
        if len(self.databases) == 1:
            lines.append("WARNING    no database of the service: there is none at TRACKER_DATABASE_URL")
        if self.unreadable:
            lines.append(
                f"WARNING    {self.unreadable}; a restore needs it too, as PORTAL_SECRET_KEY_FALLBACKS: "
                "docs/operating/configure.md#change-the-secret-key"
            )
        if self.missing:
            lines.append(f"WARNING    the files of {self.missing} submissions were gone before: portal storage check")
        return "\n".join(lines)


def size_in_words(size: float) -> str:
    """Return bytes as megabytes, in words."""
    return f"{size / _MB:.1f} MB"


_shape = TypeAdapter(Manifest)


def folder_name(instant: datetime) -> str:
    """Return the name of the folder of a backup that began at this instant."""
    return instant.astimezone(UTC).strftime(_INSTANT)


def unfinished(home: Path) -> list[Path]:
    """Return the folders of backups that were interrupted."""
    return sorted(path for path in home.glob(f"{_NAMES}{_PART}") if path.is_dir())


def part_of(folder: Path) -> Path:
    """Return the path under which a backup is made until it is complete."""
    return folder.with_name(folder.name + _PART)


def complete(home: Path) -> list[Path]:
    """Return the folders of complete backups in a folder, the newest last."""
    return sorted(one.parent for one in home.glob(f"{_NAMES}/{NAME}"))


def newest(home: Path) -> Path:
    """Return the folder of the newest complete backup; `home` may be that folder itself. Raises BackupError."""
    if (home / NAME).is_file():
        return home
    found = complete(home)
    if not found:
        raise BackupError(f"there is no complete backup in {home}")
    return found[-1]


def sha256_of(file: Path) -> str:
    """Return a file's SHA-256, in hex. Raises OSError."""
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


def record_run(db: Database, taken_at: datetime) -> None:
    """Record when the newest backup began. Raises DatabaseUnavailable."""
    with db.write() as connection:
        connection.execute(backups.delete())
        connection.execute(backups.insert().values(taken_at=taken_at))


def last_taken(db: Database) -> datetime | None:
    """Return when the newest backup began; None if there was none. Raises DatabaseUnavailable."""
    with db.read() as connection:
        found: datetime | None = connection.scalar(sa.select(sa.func.max(backups.c.taken_at)))
    return found
