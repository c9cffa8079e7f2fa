"""New addresses of a record: each is proven by a code typed in here before anything is sent."""

from dataclasses import dataclass, field

from flask_babel import gettext, ngettext
from werkzeug.datastructures import MultiDict

from portal.logs import Seen, seen
from portal.parts import Parts
from portal.profile import asking_limit
from portal.records.change import SessionOver
from portal.sealing import address_hash, mailbox_hash, mailbox_in_a_log
from portal.signin import codes, sessions
from portal.signin.codes import Purpose
from portal.signin.sessions import Session
from portal.tenants.model import Tenant
from portal.web.locale import language


@dataclass(frozen=True, slots=True)
class Unproven:
    """The address to prove next, and what to say."""

    email: str = field(repr=False)
    status: int = 200
    error: str = ""


class Proving:
    """Codes to new addresses, for this session alone."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def next(
        self,
        tenant: Tenant,
        session: Session,
        added: list[str],
        fields: MultiDict[str, str],
        remote_address: str | None,
    ) -> Unproven | None:
        """The first added address that is not proven yet, its code sent; None when all are. Raises SessionOver."""
        error = ""
        typed = codes.digits_in(fields.get("code", ""))
        if typed and fields.get("do") != "resend":
            error = self._try(tenant, session, fields.get("proving", ""), typed, remote_address)
        for email in added:
            with self._parts.database.read() as connection:
                proven = codes.is_proven(
                    connection, self._parts.seal, tenant=tenant.slug, holder=session.holder, email=email
                )
            if not proven:
                return self._ask(tenant, session, email, error, remote_address, again=fields.get("do") == "resend")
        return None

    def _try(self, tenant: Tenant, session: Session, email: str, typed: str, remote_address: str | None) -> str:
        if asking_limit.trying(self._parts.throttle, remote_address=remote_address) is not None:
            return str(gettext("Too many codes were tried. Please wait a while."))
        proven = codes.attempt(
            self._parts.database,
            self._parts.seal,
            tenant=tenant.slug,
            purpose=Purpose.ADDRESS,
            holder=session.holder,
            typed=typed,
            clock=self._parts.clock,
            email=email,
            network=asking_limit.asking_network(remote_address),
        )
        if proven is not None:
            return ""
        return str(gettext("This code is not right, or it is no longer valid. Look for the newest message."))

    def _ask(
        self, tenant: Tenant, session: Session, email: str, error: str, remote_address: str | None, *, again: bool
    ) -> Unproven:
        parts, now = self._parts, self._parts.clock.now()
        with parts.database.read() as connection:
            waiting = codes.is_waiting(
                connection, parts.seal, tenant=tenant.slug, holder=session.holder, email=email, now=now
            )
        if waiting and not again:
            return Unproven(email, 422 if error else 200, error)
        pause = asking_limit.asking(
            parts.throttle,
            tenant=tenant.slug,
            address=address_hash(parts.seal, tenant.slug, email),
            mailbox=mailbox_hash(parts.seal, email),
            remote_address=remote_address,
        )
        if pause is not None:
            return Unproven(email, 429, _too_often(pause))
        with parts.database.write() as connection:
            if not sessions.is_open(connection, session):
                raise SessionOver("the session ended meanwhile")
            codes.ask(
                connection,
                parts.seal,
                tenant=tenant.slug,
                purpose=Purpose.ADDRESS,
                holder=session.holder,
                email=email,
                locale=language(tenant),
                ttl=parts.settings.code_ttl,
                now=now,
                network=asking_limit.asking_network(remote_address),
            )
        seen(Seen.CODE_ASKED, tenant=tenant.slug, mailbox=mailbox_in_a_log(parts.seal, email))
        return Unproven(email, 422 if error else 200, error)


def _too_often(seconds: int) -> str:
    return str(
        ngettext(
            "Many codes were sent to this address. You can ask for another one in %(num)s minute.",
            "Many codes were sent to this address. You can ask for another one in %(num)s minutes.",
            -(-seconds // 60),
        )
    )
