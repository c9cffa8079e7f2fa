"""What `portal check` says about one thing."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Line:
    """One thing that was checked. warns: it works, and something should be done about it all the same."""

    what: str
    ok: bool
    says: str
    warns: bool = False
