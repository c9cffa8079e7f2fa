"""What is believed of records that a complete full pass did not see: the interface reports no deletions."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Missing:
    """rows: what is stored and no longer listed. counted, of: how many of those that matter, out of how many there are.

    called: what those are, like "open jobs".
    """

    rows: Sequence[int]
    counted: int
    of: int
    called: str


def is_too_much(missing: int, total: int) -> bool:
    """Whether so many vanish at once only by a fault: all of them, or more than a fifth.

    One alone is believed while others remain: a company with three jobs fills one without an operator's help.
    """
    return missing > 0 and (missing == total or missing > max(1, total // 5))


def objection(missing: Missing, tenant: str) -> str | None:
    """Why a deletion waits for an operator; None where it is believed."""
    if not is_too_much(missing.counted, missing.of):
        return None
    return (
        f"the service no longer lists {missing.counted} of {missing.of} {missing.called}: nothing was withdrawn;"
        f" if that is meant, run `portal sync {tenant} --full`"
    )
