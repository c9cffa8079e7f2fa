"""Keyed hashes and encryption at rest for personal data, which only this portal can compare or read.

Keys are derived from PORTAL_SECRET_KEY by HKDF (RFC 5869). Values that were made with a fallback key can still be found
and read; new values are made with the first key.
"""

import base64
import hmac
import json
import re
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache

import idna
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from portal.platform.crypto.normal_forms import composed, counted_as, read_as
from portal.platform.errors import PortalError
from portal.platform.logs.security import HASH_LENGTH

_PLAIN = re.compile(r"[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*")
KEPT = "portal.seal"
"""The `use` of everything that is stored in the database."""
_ADDRESS_MOST = 1_016
"""Four times the maximum length of an address (§8), because NFC makes one character of up to four. Longer text is not
an address, and not worth the time to normalise.
"""


class Unreadable(PortalError):
    """The text was sealed with a key that is neither the secret key nor one of its fallbacks, or is damaged."""


class Seal:
    """Hashing and sealing with one set of secret keys. secret: the current key; fallbacks: former ones, read only.

    What is sealed for one use cannot be opened for another, so a value that leaves the portal and returns is never
    accepted as a stored one.
    """

    def __init__(self, secret: str, fallbacks: Sequence[str] = ()) -> None:
        self._secrets = (secret, *fallbacks)
        self._hashing = [_derived(one, b"portal.hash") for one in self._secrets]
        self._sealing: dict[str, tuple[MultiFernet, list[Fernet]]] = {}

    def hash(self, purpose: str, *parts: str) -> str:
        """Return 64 hex digits over the parts, by the current key; each purpose has different hashes."""
        return _keyed(self._hashing[0], purpose, parts)

    def hashes(self, purpose: str, *parts: str) -> list[str]:
        """Return the hash by every key, the current one first: to find what was stored under a former key."""
        return [_keyed(key, purpose, parts) for key in self._hashing]

    @property
    def fingerprints(self) -> tuple[str, ...]:
        """Names of the keys, the current one first, by which a key is recognised and which reveal nothing about it."""
        return tuple(_keyed(key, "fingerprint", ())[:16] for key in self._hashing)

    def seal(self, text: str, *, use: str = KEPT) -> str:
        """Return the text, encrypted and authenticated with the current key; different each time."""
        return self._for(use)[0].encrypt(text.encode()).decode("ascii")

    def open(self, sealed: str, *, use: str = KEPT) -> str:
        """Return the text; raise Unreadable if it is damaged, of an unknown key or sealed for another use."""
        try:
            return self._for(use)[0].decrypt(sealed.encode("ascii", "replace")).decode()
        except InvalidToken:
            raise Unreadable("sealed with a key that is not known here") from None

    def key_of(self, sealed: str, *, use: str = KEPT) -> int:
        """Return the number of the key that a text is sealed with, 0: the current one; raise Unreadable as open()."""
        for number, key in enumerate(self._for(use)[1]):
            with suppress(InvalidToken):
                key.decrypt(sealed.encode("ascii", "replace"))
                return number
        raise Unreadable("sealed with a key that is not known here")

    def _for(self, use: str) -> tuple[MultiFernet, list[Fernet]]:
        found = self._sealing.get(use)
        if found is None:
            keys = [_derived(secret, use.encode()) for secret in self._secrets]
            each = [Fernet(base64.urlsafe_b64encode(key)) for key in keys]
            found = self._sealing[use] = MultiFernet(each), each
        return found


def folded(email: str) -> str:
    """Return the form in which addresses are compared: case does not count, and a domain is the same in any script.

    Never casefold(): it maps ß to ss and ς to σ, but straße.example and strasse.example belong to two people (RFC
    5894).
    """
    trimmed = email.strip()
    if len(trimmed) > _ADDRESS_MOST:
        return trimmed.lower()
    local, at, domain = composed(trimmed).rpartition("@")
    return f"{local.lower()}{at}{_in_ascii(domain)}"


@lru_cache(1_000)
def _in_ascii(domain: str) -> str:
    """Return the domain in ASCII; cached, because an application needs it several times and idna is slow."""
    if _PLAIN.fullmatch(domain) and "--" not in domain:
        return domain.lower()  # the same result as idna, in a hundredth of the time
    try:
        return idna.encode(domain, uts46=True).decode("ascii")
    except idna.IDNAError:
        return domain.lower()


def address_hash(seal: Seal, tenant: str, email: str) -> str:
    """Return the hash of a folded email address, specific to one tenant."""
    return seal.hash("address", tenant, folded(email))


def address_hashes(seal: Seal, tenant: str, email: str) -> list[str]:
    """Return the same by every key, the current one first."""
    return seal.hashes("address", tenant, folded(email))


def mailbox_hash(seal: Seal, email: str) -> str:
    """Return the hash of the mailbox that an address most likely leads to, the same for every tenant: for limits."""
    return seal.hash("mailbox", counted_as(folded(email)))


def mailbox_hashes(seal: Seal, email: str) -> list[str]:
    """Return the same by every key, the current one first."""
    return seal.hashes("mailbox", counted_as(folded(email)))


def reader_hashes(seal: Seal, email: str) -> list[str]:
    """Return hashes of an address's certain reader, the same for every tenant; by every key, the current one first."""
    return seal.hashes("reader", read_as(folded(email)))


def in_a_log(seal: Seal, what: str, who: str) -> str:
    """Return the hash of a mailbox or network for the security log: always the same, and never in the database.

    what: the kind of thing that is hashed, such as "mailbox".
    """
    return seal.hash("log", what, who)[:HASH_LENGTH]


def mailbox_in_a_log(seal: Seal, email: str) -> str:
    """Return the security log's hash of the mailbox behind an address, the same for every tenant."""
    return in_a_log(seal, "mailbox", counted_as(folded(email)))


def _keyed(key: bytes, purpose: str, parts: Sequence[str]) -> str:
    content = json.dumps([purpose, *parts], ensure_ascii=True)
    return hmac.digest(key, content.encode(), "sha256").hex()


def _derived(secret: str, purpose: bytes) -> bytes:
    return HKDF(algorithm=hashes.SHA256(), length=32, salt=None, info=purpose).derive(secret.encode())
