"""Sign-in by a code sent by email, shared by candidates' self-service and the hiring pages.

A visitor posts an address; the code is made and sent elsewhere, by the thread or worker that sends emails, so no answer
and no response time tells whether the address is known. The browser that asked has a cookie; its code opens a session.
"""

from collections.abc import Callable
from dataclasses import dataclass

from flask import Response, request
from flask_babel import gettext, ngettext

from portal.background.mails import quota
from portal.people.signin import codes, sessions
from portal.people.signin.codes import Purpose
from portal.platform.clock import Clock
from portal.platform.crypto.sealing import Seal, address_hash, mailbox_hash, mailbox_in_a_log
from portal.platform.database.db import Database
from portal.platform.logs import SecurityEvent, log_security_event
from portal.platform.rate_limits import Throttle, wide_network_of
from portal.site.forms.fields import email_address, refusal
from portal.site.forms.fields.refusal import Refused
from portal.site.forms.rate_limits import PostLimit, hit_code_request_limits, hit_post_limits
from portal.site.routing.tenant import TenantCookie


class SignInRefused(Exception):
    """A post is answered with its form: status, and the message at the field (error) or above the form (notice)."""

    def __init__(self, status: int, *, error: str = "", notice: str = "", pause: int | None = None) -> None:
        super().__init__(status)
        self.status, self.error, self.notice, self._pause = status, error, notice, pause

    def on(self, page: Response) -> Response:
        """Return the page with the time to wait, if there is one."""
        if self._pause is not None:
            page.headers["Retry-After"] = str(self._pause)
        return page


@dataclass(frozen=True, slots=True)
class CodeSignIn:
    """Signing in at one tenant's pages. cookie: of a browser that requested a code. ttl: of a code, in seconds."""

    database: Database
    seal: Seal
    clock: Clock
    throttle: Throttle
    tenant: str
    cookie: TenantCookie
    ttl: int

    def address(self, has_valid_token: Callable[[], bool]) -> str:
        """Return the posted `email`, counted as a request for a code. Raises SignInRefused."""
        self._expect(PostLimit.CODE_REQUEST, has_valid_token)
        try:
            email = email_address.parse(request.form.get("email", ""))
        except Refused as why:
            error = refusal.refused(why, missing=gettext("Enter your email address."))
            raise SignInRefused(422, error=error) from why
        pause = hit_code_request_limits(
            self.throttle,
            tenant=self.tenant,
            address=address_hash(self.seal, self.tenant, email),
            mailbox=mailbox_hash(self.seal, email),
            remote_address=request.remote_addr,
            known=lambda: self._is_known(email),
        )
        if pause is not None:
            raise _too_often(pause)
        return email

    def queue(self, email: str, locale: str) -> str:
        """Have a code sent to an address; return the token for the cookie."""
        # A browser that requests another code keeps its token: the new code revokes the old one, which stays valid if
        # no new one is sent.
        token = self.cookie.read(request) or codes.new_token()
        with self.database.write() as connection:
            codes.request_code(
                connection,
                self.seal,
                tenant=self.tenant,
                purpose=Purpose.SIGN_IN,
                holder=codes.holder_of(self.seal, token),
                email=email,
                locale=locale,
                ttl=self.ttl,
                now=self.clock.now(),
                network=wide_network_of(request.remote_addr),
            )
        mailbox = mailbox_in_a_log(self.seal, email)
        log_security_event(SecurityEvent.CODE_ASKED, tenant=self.tenant, mailbox=mailbox)
        return token

    @property
    def holder(self) -> str:
        """The holder of the code according to the cookie. An attempt without a cookie takes as long as any other."""
        return codes.holder_of(self.seal, self.cookie.read(request) or "")

    def session(self, has_valid_token: Callable[[], bool], *, before: TenantCookie, is_candidate: bool) -> str | None:
        """Return the token of a session for the posted `code`, None if it is wrong. Raises SignInRefused.

        before: the cookie of a session that the browser has already, which ends.
        """
        self._expect(PostLimit.CODE, has_valid_token)
        token = sessions.sign_in(
            self.database,
            self.seal,
            tenant=self.tenant,
            holder=self.holder,
            typed=typed_code(),
            clock=self.clock,
            network=wide_network_of(request.remote_addr),
            is_candidate=is_candidate,
        )
        if token and (former := before.read(request)):
            sessions.close(self.database, self.seal, tenant=self.tenant, token=former)
        return token

    def _expect(self, limit: PostLimit, has_valid_token: Callable[[], bool]) -> None:
        """Count a post before any of its content is read, then check its form token."""
        pause = hit_post_limits(self.throttle, limit, request.remote_addr)
        if pause is not None:
            raise _too_often(pause)
        if not has_valid_token():
            notice = gettext("This page was open for too long, so nothing was sent. Send it again.")
            raise SignInRefused(422, notice=notice)

    def _is_known(self, email: str) -> bool:
        network, now = wide_network_of(request.remote_addr), self.clock.now()
        with self.database.read() as connection:
            return quota.is_known(connection, self.seal, recipient=email, network=network, now=now)


def typed_code() -> str:
    """Return the digits of the posted `code`."""
    return codes.digits_in(request.form.get("code", ""))


def wrong_code() -> SignInRefused:
    """Return the answer to a code that opens no session."""
    message = gettext("This code is wrong or has expired. Use the one in the most recent email, or request a new code.")
    return SignInRefused(422, error=message)


def _too_often(pause: int) -> SignInRefused:
    notice = ngettext(
        "Too many codes were requested. Check your inbox and spam folder, or try again in %(num)s minute.",
        "Too many codes were requested. Check your inbox and spam folder, or try again in %(num)s minutes.",
        -(-pause // 60),
    )
    return SignInRefused(429, notice=notice, pause=pause)
