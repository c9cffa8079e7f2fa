"""Detection of bots without puzzles for visitors, and the handling that the tenant has configured.

Nobody is rejected: an application that may come from a bot is counted, held for review, or confirmed by email.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from portal.background.outbox.states import HeldFor
from portal.platform.crypto.sealing import Seal
from portal.platform.rate_limits import Throttle, per_network_limits
from portal.site.apply import proof_of_work
from portal.site.forms.rate_limits import PROOF_OF_NETWORK, PROOF_OF_TENANT
from portal.tenants.model import Bots, Tenant

TRAP = "remarks"
"""The name of a text field that people do not see (honeypot). Not of type hidden: a bot that posts back the values it
found would leave that empty; and not a name that browsers fill in automatically.
"""
FASTEST = timedelta(seconds=2)
"""Minimum time in which a person can choose a file and press a button, even if the browser fills in every field."""

_ASKED_FROM = 2
"""A proof is requested once half of a limit is used, so that forms posted after the limit is reached already carry
one."""


class Suspicion(StrEnum):
    """A reason why an application may come from a bot."""

    TRAP = "hidden-field"
    FAST = "fast"
    NO_PROOF = "no-proof"


@dataclass(frozen=True, slots=True)
class BotAssessment:
    """The assessment of an application. reasons: joined by commas, None if there is none."""

    reasons: str | None
    held_for: HeldFor | None


def assess_bot_risk(
    throttle: Throttle,
    seal: Seal,
    now: datetime,
    tenant: Tenant,
    fields: Mapping[str, str],
    *,
    form_id: str,
    opened: datetime,
    remote_address: str | None,
) -> BotAssessment:
    """Assess a form that is about to be accepted; count it if the tenant requires proofs above a rate (Bots.PROOF).

    opened: when the form was first shown.
    """
    reasons = []
    if fields.get(TRAP, "").strip():
        reasons.append(Suspicion.TRAP)
    if now - opened < FASTEST:
        reasons.append(Suspicion.FAST)
    held_for = HeldFor.OPERATOR if reasons and tenant.apply.bots is Bots.REVIEW else None
    if tenant.apply.bots is Bots.PROOF and _is_above(throttle, tenant, remote_address):
        solution = fields.get(proof_of_work.FIELD, "")
        if not proof_of_work.is_proven(seal, solution, form_id=form_id, now=now):
            reasons.append(Suspicion.NO_PROOF)
            held_for = HeldFor.CANDIDATE
    return BotAssessment(",".join(reasons) or None, held_for)


def asks_for_proof(throttle: Throttle, tenant: Tenant, remote_address: str | None) -> bool:
    """Return whether a form that is about to be sent should carry a proof of work; counts nothing."""
    if tenant.apply.bots is not Bots.PROOF:
        return False
    shared = throttle.hit_shared_window(PROOF_OF_TENANT, remote_address, tenant.slug, amount=0)
    if (PROOF_OF_TENANT.most - shared.remaining) * _ASKED_FROM >= PROOF_OF_TENANT.most:
        return True
    of_its_network = per_network_limits(PROOF_OF_NETWORK, remote_address, tenant.slug)
    return any(throttle.fixed_window_usage(limit, *who) * _ASKED_FROM >= limit.most for limit, who in of_its_network)


def _is_above(throttle: Throttle, tenant: Tenant, remote_address: str | None) -> bool:
    # Every limit is counted, even if the first one is already reached.
    results = [
        throttle.hit_fixed_window(limit, *who)
        for limit, who in per_network_limits(PROOF_OF_NETWORK, remote_address, tenant.slug)
    ]
    results.append(throttle.hit_shared_window(PROOF_OF_TENANT, remote_address, tenant.slug))
    return not all(one.allowed for one in results)
