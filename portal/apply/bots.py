"""What tells programs from people, without a riddle for anyone, and what a tenant wants done about it.

Nobody is refused: an application that may come from a program is counted, looked at, or confirmed by mail.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from portal.apply import proof
from portal.outbox.states import HeldFor
from portal.parts import Parts
from portal.tenants.model import Bots, Tenant
from portal.throttling import Limit, Throttle, network_of

TRAP = "remarks"
"""A text field that people do not see. Not a hidden one: a program that posts back what it found keeps it empty; and of
no name that browsers fill in by themselves."""
FASTEST = timedelta(seconds=2)
"""Nobody chooses a file and presses a button in less, with every field filled in by the browser."""

_OF_NETWORK = Limit("bots-network", 20, 600)
"""Applications that one network sends to one company within ten minutes, before work is asked for. A job fair sends
more, and its browsers do the work without a word."""
_OF_TENANT = Limit("bots-tenant", 200, 600)
"""The same from everywhere: a job that half the town wants has fewer, a program behind many addresses more."""
_ASKED_FROM = 2
"""Work is asked for from half of a rate on: what comes between the question and the post finds it done."""


class Suspicion(StrEnum):
    """Why an application may come from a program."""

    TRAP = "hidden-field"
    FAST = "fast"
    NO_PROOF = "no-proof"


@dataclass(frozen=True, slots=True)
class Impression:
    """What an application looks like. reasons: joined by commas, None where nothing is odd."""

    reasons: str | None
    held_for: HeldFor | None


def look_at(
    parts: Parts,
    tenant: Tenant,
    fields: Mapping[str, str],
    *,
    form_id: str,
    opened: datetime,
    remote_address: str | None,
) -> Impression:
    """What a form looks like that is about to be accepted; counts it where the tenant asks for proofs above a rate.

    opened: when its person was first shown it.
    """
    reasons, now = [], parts.clock.now()
    if fields.get(TRAP, "").strip():
        reasons.append(Suspicion.TRAP)
    if now - opened < FASTEST:
        reasons.append(Suspicion.FAST)
    held_for = HeldFor.OPERATOR if reasons and tenant.apply.bots is Bots.REVIEW else None
    if tenant.apply.bots is Bots.PROOF and _is_above(parts.throttle, tenant, remote_address):
        solution = fields.get(proof.FIELD, "")
        if not proof.is_proven(parts.seal, solution, form_id=form_id, now=now):
            reasons.append(Suspicion.NO_PROOF)
            held_for = HeldFor.PERSON
    return Impression(",".join(reasons) or None, held_for)


def asks_for_proof(throttle: Throttle, tenant: Tenant, remote_address: str | None) -> bool:
    """Whether a form that is about to be sent should bring a proof; counts nothing."""
    return tenant.apply.bots is Bots.PROOF and any(
        throttle.spent(limit, *who) * _ASKED_FROM >= limit.most for limit, who in _rates(tenant, remote_address)
    )


def _is_above(throttle: Throttle, tenant: Tenant, remote_address: str | None) -> bool:
    # Each rate is counted, also where the first one is reached already.
    spent = [throttle.spend(limit, *who) for limit, who in _rates(tenant, remote_address)]
    return not all(one.allowed for one in spent)


def _rates(tenant: Tenant, remote_address: str | None) -> list[tuple[Limit, tuple[str, ...]]]:
    return [(_OF_NETWORK, (tenant.slug, network_of(remote_address))), (_OF_TENANT, (tenant.slug,))]
