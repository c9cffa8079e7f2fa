"""What is said of one part."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class State(StrEnum):
    """How a part is."""

    OK = "ok"
    DEGRADED = "degraded"
    """It does its work in part, or late."""
    DOWN = "down"


class Name(StrEnum):
    """The parts, as /readyz, the label `part` of the metrics and operators call them."""

    DATABASE = "database"
    TENANTS = "tenants"
    STORE = "store"
    DISKS = "disks"
    LIMITS = "limits"
    SCANNER = "scanner"
    INSPECTION = "inspection"
    MAIL = "mail"
    WORKERS = "workers"
    SERVICES = "services"


NEEDED = frozenset({Name.DATABASE, Name.TENANTS, Name.STORE})
"""Without one of these a server can take no application, and is not ready. What only delays mends by no server less."""


@dataclass(frozen=True, slots=True)
class Found:
    """What one look came to. says: what is so, without anything personal."""

    state: State
    says: str


@dataclass(frozen=True, slots=True)
class Part:
    """since: from when on this process has found it so. means: for people; empty while all is well."""

    name: Name
    state: State
    says: str
    since: datetime
    means: str

    @property
    def stops(self) -> bool:
        """Whether no application can be taken for want of it."""
        return self.state is State.DOWN and self.name in NEEDED

    @property
    def do(self) -> str:
        """Where docs/operating.md says what to do."""
        return f"docs/operating.md#{ANCHORS[self.name]}"


MEANS = {
    Name.DATABASE: "pages that are kept in memory are shown; nothing is taken and nothing is sent",
    Name.TENANTS: "a company whose file is wrong is shown as its last good file says, or not at all",
    Name.STORE: "no CV can be taken, so forms with a file are answered with a request to try later",
    Name.DISKS: "no file is taken until there is room; pages, sign-in and forms whose file is stored go on",
    Name.LIMITS: "each process counts limits for itself; nobody is turned away for it",
    Name.SCANNER: "applications are taken, and wait until the scanner has seen their files",
    Name.INSPECTION: "no file can be looked into, so none is taken; what was taken goes on",
    Name.MAIL: "letters and sign-in codes wait; applications are taken and delivered",
    Name.WORKERS: "applications are taken and wait; no letter, no code, no new job",
    Name.SERVICES: "applications to these companies are taken and wait; nobody else's do",
}
ANCHORS = {
    Name.DATABASE: "the-database-is-away",
    Name.TENANTS: "a-tenant-file-is-wrong",
    Name.STORE: "the-store-is-away",
    Name.DISKS: "a-disk-is-nearly-full",
    Name.LIMITS: "the-shared-limits-are-away",
    Name.SCANNER: "the-scanner-is-away",
    Name.INSPECTION: "no-file-can-be-looked-into",
    Name.MAIL: "the-mail-server-is-away",
    Name.WORKERS: "no-worker-shows-itself",
    Name.SERVICES: "a-companys-service-fails",
}
"""Paragraphs of *Watching* in docs/operating.md; a test holds that they are there."""
