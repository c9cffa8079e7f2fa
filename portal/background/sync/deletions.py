"""Whether records that a complete full pass did not see count as deleted: the interface reports no deletions."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Missing:
    """Stored records that are no longer listed.

    rows: their ids. counted, of: how many of the records that matter are missing, out of how many. called: the name of
    the records that matter, like "open jobs".
    """

    rows: Sequence[int]
    counted: int
    of: int
    called: str


def is_too_much(missing: int, total: int) -> bool:
    """Return whether this many records can only vanish by a fault: all of them, or more than a fifth.

    A single one may vanish while others remain: a company with three jobs fills one without an operator's help.
    """
    return missing > 0 and (missing == total or missing > max(1, total // 5))


def objection(missing: Missing, tenant: str) -> str | None:
    """Return why a deletion needs an operator's approval; None if it needs none."""
    if not is_too_much(missing.counted, missing.of):
        return None
    return (
        f"the service no longer lists {missing.counted} of {missing.of} {missing.called}: nothing was withdrawn;"
        f" if that is meant, run `portal sync {tenant} --full`"
    )
