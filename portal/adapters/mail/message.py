"""One email to one recipient, and the protocol of mailers."""

import re
from dataclasses import dataclass, field
from datetime import datetime
from email import policy
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage, MIMEPart
from email.parser import BytesHeaderParser
from email.utils import format_datetime
from typing import Protocol

import idna

from portal.platform.errors import MailRefused

_REFERENCE = re.compile(r"[A-Za-z0-9._-]{1,100}")
_MAILBOX = re.compile(
    r"""(?:(?P<name>[^<>]*)<)?          # a display name may hold commas without being quoted: a company writes it
        (?P<local>[^\s()<>\[\]:;@\\,"]+)@(?P<domain>[^\s()<>\[\]:;@\\,"]+)
        (?(name)>)""",
    re.VERBOSE,
)
_DOMAIN = re.compile(r"[A-Za-z0-9.-]{1,253}")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_ENCODED = "=?"
"""Start of an encoded word (RFC 2047). Python's headers decode these anywhere, and the result may hold line breaks."""
_OWN_HEADERS = frozenset({"from", "to", "reply-to", "subject", "date", "message-id", "auto-submitted"})
_UNSUBSCRIBE_HEADERS = frozenset({"list-unsubscribe", "list-unsubscribe-post"})
_ADDRESS = re.compile(r"https?://[!-;=?-~]{1,900}")
_LIBRARY_HEADERS = frozenset({"mime-version", "content-type", "content-transfer-encoding"})


class _Policy(policy.EmailPolicy):
    """The library's policy, except for URLs that must not be folded or encoded: mail programs would not find them."""

    def fold_binary(self, name: str, value: str) -> bytes:
        """Return one header as bytes."""
        if name.lower() in _UNSUBSCRIBE_HEADERS:
            return f"{name}: {value}{self.linesep}".encode("ascii")
        return super().fold_binary(name, value)


_POLICY = _Policy(linesep="\r\n")


class Mailer(Protocol):
    """A way of sending email. No error contains an address or any text of a message."""

    def send(self, message: "Message") -> None:
        """Hand the message over. Raises MailUnavailable (try again) or MailRefused (it will never be accepted)."""

    def check(self) -> str | None:
        """Raise MailUnavailable unless messages would be accepted now; send none. Return a warning, or None."""


@dataclass(frozen=True, slots=True)
class InlineImage:
    """A picture in a message. name: a Content-ID without its brackets. width, height: its proportions."""

    name: str
    body: bytes = field(repr=False)
    width: int
    height: int

    def attach_to(self, html: MIMEPart) -> None:
        """Attach the picture to the HTML part that shows it."""
        html.add_related(self.body, "image", "png", cid=f"<{self.name}>", disposition="inline", filename="logo.png")


@dataclass(frozen=True, slots=True)
class Message:
    """An email to send; as_email() checks it."""

    sender: str
    """`Name <address>` or an address."""
    to: str = field(repr=False)
    """One address."""
    subject: str = field(repr=False)
    text: str = field(repr=False)
    reference: str
    """Unique to this message, `[A-Za-z0-9._-]{1,100}`; becomes the Message-ID, by which programs recognise a repeat."""
    at: datetime
    """When it was written; with its time zone."""
    html: str | None = field(default=None, repr=False)
    unsubscribe: str | None = field(default=None, repr=False)
    """URL at which one POST ends the subscription (RFC 8058), for the mail program's own button."""
    reply_to: str | None = field(default=None, repr=False)
    """The address for answers, if it is not the sender's."""
    pictures: "tuple[InlineImage, ...]" = ()
    """Shown by the HTML as `cid:NAME`; they are attached, so that opening the email causes no request."""

    def as_email(self) -> EmailMessage:
        """Return the email by RFC 5322; raise MailRefused if a header has a line break or an address is invalid."""
        if not _REFERENCE.fullmatch(self.reference):
            raise MailRefused("the message's reference is not fit for a Message-ID")
        if any(_CONTROL.search(value) for value in (self.sender, self.to, self.subject, self.reply_to or "")):
            raise MailRefused("a control character in a header of the message")
        sender, to = _address(self.sender), _address(self.to)
        email = EmailMessage(policy=_POLICY if to.username.isascii() else _POLICY.clone(utf8=True))
        try:
            email["From"] = sender
            email["To"] = Address(username=to.username, domain=to.domain)
            if self.reply_to is not None:
                email["Reply-To"] = _address(self.reply_to)
            email["Subject"] = _without_encoded_words(self.subject)
            email["Date"] = format_datetime(self.at)
            email["Message-ID"] = f"<{self.reference}@{sender.domain}>"
            email["Auto-Submitted"] = "auto-generated"  # RFC 3834: no out-of-office answers
            if self.unsubscribe is not None:
                if not _ADDRESS.fullmatch(self.unsubscribe):
                    raise ValueError("not a URL that a header can hold")
                email["List-Unsubscribe"] = f"<{self.unsubscribe}>"
                email["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
            email.set_content(self.text, cte="quoted-printable")
            if self.html is not None:
                email.add_alternative(self.html, subtype="html", cte="quoted-printable")
                for picture in self.pictures:
                    picture.attach_to(list(email.iter_parts())[1])
            _check_headers(email)
        except (UnicodeError, ValueError, MessageError):
            raise MailRefused("the message cannot be encoded: a lone surrogate or a malformed header") from None
        return email

    @property
    def recipient(self) -> str:
        """The address for the SMTP envelope, which is never taken from the headers."""
        return _address(self.to).addr_spec

    @property
    def domain(self) -> str:
        """The recipient's domain, in lower-case ASCII."""
        return _address(self.to).domain.lower()


def _address(text: str) -> Address:
    """Return the mailbox in the text, which is `Name <address>` or an address alone; its domain in ASCII."""
    found = _MAILBOX.fullmatch(text.strip())
    try:
        if not found:
            raise ValueError("not one mailbox")
        domain = idna.encode(found["domain"], uts46=True).decode("ascii")
        if not _DOMAIN.fullmatch(domain) or _ENCODED in found["local"]:
            raise ValueError("not a domain, or a local part that would be decoded")
        return Address(
            display_name=_without_encoded_words((found["name"] or "").strip(' "')),
            username=found["local"],
            domain=domain,
        )
    except (UnicodeError, ValueError, MessageError):
        raise MailRefused("the message's sender or recipient is not an e-mail address") from None


def _without_encoded_words(text: str) -> str:
    return text.replace(_ENCODED, "= ?")


def _check_headers(email: EmailMessage) -> None:
    """Raise ValueError unless a parser of the finished bytes finds just the headers set above, each once."""
    found = [name.lower() for name in BytesHeaderParser(policy=policy.SMTP).parsebytes(email.as_bytes())]
    if len(found) != len(set(found)) or not set(found) <= _OWN_HEADERS | _UNSUBSCRIBE_HEADERS | _LIBRARY_HEADERS:
        raise ValueError("a header that was not set here")
