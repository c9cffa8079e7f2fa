"""The result type of `portal check`."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of one check. warns: it works, but something should still be done about it."""

    what: str
    ok: bool
    says: str
    warns: bool = False
