"""Codes that a signed-in candidate enters: for new addresses of the profile, and again for the session's own address.

A new address is proven before a change is sent. What cannot be reversed (adding or removing addresses, erasure, the
download of all data) needs a fresh code to the address that signed in, which the profile must still have.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from flask_babel import gettext, ngettext

from portal.delivery.record_changes.change import SessionOver
from portal.people.signin import codes, sessions
from portal.people.signin.codes import Purpose
from portal.people.signin.sessions import Session
from portal.platform.crypto.sealing import address_hash, folded, mailbox_hash, mailbox_in_a_log
from portal.platform.logs import SecurityEvent, log_security_event
from portal.platform.rate_limits import wide_network_of
from portal.site.account.guard import AccountServices
from portal.site.forms.rate_limits import PostLimit, hit_code_request_limits, hit_post_limits
from portal.site.words.locale import language
from portal.tenants.model import Tenant


@dataclass(frozen=True, slots=True)
class PendingProof:
    """The address to prove next, and the status and error message of the page that asks for its code."""

    email: str = field(repr=False)
    status: int = 200
    error: str = ""
    is_own: bool = False
    """Whether it is the session's own address."""


class AddressProof:
    """Codes that are valid in one session only."""

    def __init__(self, services: AccountServices) -> None:
        self._services = services

    def next(
        self,
        tenant: Tenant,
        session: Session,
        added: list[str],
        fields: Mapping[str, str],
        remote_address: str | None,
    ) -> PendingProof | None:
        """Send a code to the first added address that is not proven yet and return it; None if all are proven.

        Before that, try the code that was entered, if any. Raises SessionOver.
        """
        error, asked = "", fields.get("proving", "")
        if folded(asked) != folded(session.email):
            error = self._try(tenant, session, Purpose.ADDRESS, asked, fields, remote_address)
        for email in added:
            with self._services.database.read() as connection:
                proven = codes.is_proven(
                    connection, self._services.seal, tenant=tenant.slug, holder=session.holder, email=email
                )
            if not proven:
                again = fields.get("do") == "resend"
                return self._ask(tenant, session, Purpose.ADDRESS, email, error, remote_address, again=again)
        return None

    def own(
        self, tenant: Tenant, session: Session, fields: Mapping[str, str], remote_address: str | None
    ) -> PendingProof | None:
        """Send a code to the session's own address and return it; None if it was proven within codes.PROOF_MAX_AGE.

        Raises SessionOver.
        """
        error = ""
        if folded(fields.get("proving", "")) == folded(session.email):
            error = self._try(tenant, session, Purpose.CONFIRM, session.email, fields, remote_address)
        if self.is_fresh(session):
            return None
        again = fields.get("do") == "resend"
        pending_proof = self._ask(tenant, session, Purpose.CONFIRM, session.email, error, remote_address, again=again)
        return replace(pending_proof, is_own=True)

    def is_fresh(self, session: Session) -> bool:
        """Return whether the session's own address was proven within codes.PROOF_MAX_AGE."""
        with self._services.database.read() as connection:
            return sessions.is_fresh(connection, self._services.seal, session, self._services.clock.now())

    def _try(
        self,
        tenant: Tenant,
        session: Session,
        purpose: Purpose,
        email: str,
        fields: Mapping[str, str],
        remote_address: str | None,
    ) -> str:
        """Try the code that was entered, if any; return the error message, "" if there is nothing wrong."""
        typed = codes.digits_in(fields.get("code", ""))
        if not typed or fields.get("do") == "resend":
            return ""
        if hit_post_limits(self._services.throttle, PostLimit.CODE, remote_address) is not None:
            return str(gettext("Too many codes were entered. Wait a while and try again."))
        proven = codes.attempt(
            self._services.database,
            self._services.seal,
            tenant=tenant.slug,
            purpose=purpose,
            holder=session.holder,
            typed=typed,
            clock=self._services.clock,
            email=email,
            network=wide_network_of(remote_address),
        )
        if proven is not None:
            return ""
        return str(gettext("This code is wrong or has expired. Use the one in the most recent email."))

    def _ask(
        self,
        tenant: Tenant,
        session: Session,
        purpose: Purpose,
        email: str,
        error: str,
        remote_address: str | None,
        *,
        again: bool,
    ) -> PendingProof:
        services, now = self._services, self._services.clock.now()
        with services.database.read() as connection:
            waiting = codes.is_waiting(
                connection,
                services.seal,
                tenant=tenant.slug,
                purpose=purpose,
                holder=session.holder,
                email=email,
                now=now,
            )
        if waiting and not again:
            return PendingProof(email, 422 if error else 200, error)
        pause = hit_code_request_limits(
            services.throttle,
            tenant=tenant.slug,
            address=address_hash(services.seal, tenant.slug, email),
            mailbox=mailbox_hash(services.seal, email),
            remote_address=remote_address,
        )
        if pause is not None:
            return PendingProof(email, 429, _too_often(pause))
        with services.database.write() as connection:
            if not sessions.is_open(connection, session):
                raise SessionOver("the session ended meanwhile")
            codes.request_code(
                connection,
                services.seal,
                tenant=tenant.slug,
                purpose=purpose,
                holder=session.holder,
                email=email,
                locale=language(tenant),
                ttl=services.code_ttl,
                now=now,
                network=wide_network_of(remote_address),
            )
        log_security_event(SecurityEvent.CODE_ASKED, tenant=tenant.slug, mailbox=mailbox_in_a_log(services.seal, email))
        return PendingProof(email, 422 if error else 200, error)


def _too_often(seconds: int) -> str:
    return str(
        ngettext(
            "Too many codes have been sent to this address. You can request another in %(num)s minute.",
            "Too many codes have been sent to this address. You can request another in %(num)s minutes.",
            -(-seconds // 60),
        )
    )
