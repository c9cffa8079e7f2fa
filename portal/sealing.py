"""Keyed hashes and encryption at rest: two things about a person that only this portal can compare or read.

Keys are derived from PORTAL_SECRET_KEY by HKDF (RFC 5869). What a fallback key made is still found and read; what is
made anew is made with the first.
"""

import base64
import hmac
import json
import re
from collections.abc import Sequence
from functools import lru_cache

import idna
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from portal.errors import PortalError
from portal.logs.security import HASH_LENGTH
from portal.mailboxes import counted_as, read_as
from portal.normal_forms import composed

_PLAIN = re.compile(r"[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*")
KEPT = "portal.seal"
"""The use of what lies in the database."""
_ADDRESS_MOST = 1_016
"""Four times what an address may have (§8), because NFC makes one character of up to four. What is longer is none, and
what it has in common with others is not worth the time."""


class Unreadable(PortalError):
    """Sealed with a key that is neither the secret key nor one of its fallbacks, or damaged."""


class Seal:
    """What one set of secret keys can hash and seal. secret: the present key; fallbacks: former ones, still read.

    What is sealed for one use opens for no other, so what goes out and comes back can stand for nothing that is kept.
    """

    def __init__(self, secret: str, fallbacks: Sequence[str] = ()) -> None:
        self._secrets = (secret, *fallbacks)
        self._hashing = [_derived(one, b"portal.hash") for one in self._secrets]
        self._sealing: dict[str, MultiFernet] = {}

    def hash(self, purpose: str, *parts: str) -> str:
        """64 hex digits over the parts, by the present key; another purpose gives another hash."""
        return _keyed(self._hashing[0], purpose, parts)

    def hashes(self, purpose: str, *parts: str) -> list[str]:
        """The same by every key, the present one first: for finding what a former key wrote."""
        return [_keyed(key, purpose, parts) for key in self._hashing]

    def seal(self, text: str, *, use: str = KEPT) -> str:
        """The text, encrypted and authenticated by the present key; never twice the same."""
        return self._for(use).encrypt(text.encode()).decode("ascii")

    def open(self, sealed: str, *, use: str = KEPT) -> str:
        """The text; Unreadable if it is damaged, of an unknown key or sealed for another use."""
        try:
            return self._for(use).decrypt(sealed.encode("ascii", "replace")).decode()
        except InvalidToken:
            raise Unreadable("sealed with a key that is not known here") from None

    def _for(self, use: str) -> MultiFernet:
        found = self._sealing.get(use)
        if found is None:
            keys = [_derived(secret, use.encode()) for secret in self._secrets]
            found = self._sealing[use] = MultiFernet([Fernet(base64.urlsafe_b64encode(key)) for key in keys])
        return found


def folded(email: str) -> str:
    """The form in which addresses are compared: case does not count, and a domain is the same in any script.

    Never casefold(): it makes ß ss and ς σ, and straße.example and strasse.example belong to two people (RFC 5894).
    """
    trimmed = email.strip()
    if len(trimmed) > _ADDRESS_MOST:
        return trimmed.lower()
    local, at, domain = composed(trimmed).rpartition("@")
    return f"{local.lower()}{at}{_in_ascii(domain)}"


@lru_cache(1_000)
def _in_ascii(domain: str) -> str:
    """An application asks for this several times, and each costs more than all its hashes."""
    if _PLAIN.fullmatch(domain) and "--" not in domain:
        return domain.lower()  # what idna says of it, in a hundredth of the time
    try:
        return idna.encode(domain, uts46=True).decode("ascii")
    except idna.IDNAError:
        return domain.lower()


def address_hash(seal: Seal, tenant: str, email: str) -> str:
    """One tenant's view of an e-mail address, folded."""
    return seal.hash("address", tenant, folded(email))


def address_hashes(seal: Seal, tenant: str, email: str) -> list[str]:
    """The same by every key, the present one first."""
    return seal.hashes("address", tenant, folded(email))


def mailbox_hash(seal: Seal, email: str) -> str:
    """The mailbox that an address most likely leads to, the same at every tenant: for limits."""
    return seal.hash("mailbox", counted_as(folded(email)))


def mailbox_hashes(seal: Seal, email: str) -> list[str]:
    """The same by every key, the present one first."""
    return seal.hashes("mailbox", counted_as(folded(email)))


def reader_hashes(seal: Seal, email: str) -> list[str]:
    """Who certainly reads what is sent to an address, the same at every tenant; by every key, the present one first."""
    return seal.hashes("reader", read_as(folded(email)))


def in_a_log(seal: Seal, what: str, who: str) -> str:
    """Somebody in the security log: equal people are equal there, and are no hash that the database has."""
    return seal.hash("log", what, who)[:HASH_LENGTH]


def mailbox_in_a_log(seal: Seal, email: str) -> str:
    """The mailbox behind an address, the same at every tenant."""
    return in_a_log(seal, "mailbox", counted_as(folded(email)))


def _keyed(key: bytes, purpose: str, parts: Sequence[str]) -> str:
    content = json.dumps([purpose, *parts], ensure_ascii=True)
    return hmac.digest(key, content.encode(), "sha256").hex()


def _derived(secret: str, purpose: bytes) -> bytes:
    return HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=purpose).derive(secret.encode())
