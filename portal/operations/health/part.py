"""The health of one part, that is, of a component that the portal depends on."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class PartState(StrEnum):
    """The state of a part."""

    OK = "ok"
    DEGRADED = "degraded"
    """It works only partly, or late."""
    DOWN = "down"


class PartName(StrEnum):
    """The parts, as named in /readyz, in the metrics' label `part` and in the manual."""

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


NEEDED = frozenset({PartName.DATABASE, PartName.TENANTS, PartName.STORE})
"""Without one of these a server can accept no application and is not ready.

Parts that only cause delays are not listed: taking servers out of service would not help.
"""


@dataclass(frozen=True, slots=True)
class ProbeResult:
    """The result of one probe. says: the situation in words, without personal data."""

    state: PartState
    says: str


@dataclass(frozen=True, slots=True)
class PartHealth:
    """The health of a part. since: when this process first saw this state. means: consequences; empty while OK."""

    name: PartName
    state: PartState
    says: str
    since: datetime
    means: str

    @property
    def stops(self) -> bool:
        """Whether no application can be accepted because of this part."""
        return self.state is PartState.DOWN and self.name in NEEDED

    @property
    def do(self) -> str:
        """The section of the manual that says what to do."""
        return f"docs/operating/troubleshoot.md#{ANCHORS[self.name]}"


MEANS = {
    PartName.DATABASE: "pages cached in memory are shown; nothing is accepted and nothing is sent",
    PartName.TENANTS: "a company whose file is invalid is shown from its last valid file, or not at all",
    PartName.STORE: "no CV can be accepted, so whoever sends a form with a file is asked to try again later",
    PartName.DISKS: "no file is accepted until there is space; pages, sign-in and forms with a stored file still work",
    PartName.LIMITS: "each process counts limits separately; nobody is rejected because of it",
    PartName.SCANNER: "applications are accepted, and wait until their files have been scanned",
    PartName.INSPECTION: "no file can be inspected, so none is accepted; those already accepted continue",
    PartName.MAIL: "emails and sign-in codes wait; applications are accepted and delivered",
    PartName.WORKERS: "applications are accepted and wait; no emails, no sign-in codes, no new jobs",
    PartName.SERVICES: "applications to these companies are accepted and wait; others do not wait",
}
ANCHORS = {
    PartName.DATABASE: "portaldatabaseaway",
    PartName.TENANTS: "portaltenantfilewrong",
    PartName.STORE: "portalstoreaway",
    PartName.DISKS: "portaldisknearlyfull",
    PartName.LIMITS: "portallimitsaway",
    PartName.SCANNER: "portalscanneraway",
    PartName.INSPECTION: "portalinspectionaway",
    PartName.MAIL: "portalmailaway",
    PartName.WORKERS: "portalnoworker",
    PartName.SERVICES: "portalservicefails",
}
"""Sections of docs/operating/troubleshoot.md; a test checks that they exist."""
