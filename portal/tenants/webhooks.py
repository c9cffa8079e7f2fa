"""The [webhooks] section of a tenant file: the URL that gets notices about jobs, and the secrets that sign them."""

import base64
import binascii
import hashlib
from dataclasses import dataclass, field
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator

from portal.platform.errors import SettingsError
from portal.tenants.values import web_address

_PREFIX = "whsec_"
_KEY_LEAST, _KEY_MOST = 24, 64
"""Bytes of a key according to Standard Webhooks."""
_LOOPBACK = frozenset(["localhost", "127.0.0.1", "::1"])


def _address(value: str) -> str:
    parts = urlsplit(web_address(value, schemes=("https", "http")))
    if parts.fragment or (parts.scheme == "http" and parts.hostname not in _LOOPBACK):
        raise ValueError("expected an address that starts with https://, without a fragment")
    return value


@dataclass(frozen=True, slots=True)
class WebhooksTable:
    """The section as written in the file. secret, former_secret: references to the secrets, never the secrets
    themselves."""

    jobs: Annotated[str, AfterValidator(_address)]
    secret: str
    former_secret: str | None = None


@dataclass(frozen=True, slots=True)
class Webhooks:
    """The recipient of notices that jobs open, change or close. jobs: its URL, or None. secrets: each signs; see
    signing_key."""

    jobs: str | None = None
    secrets: tuple[str, ...] = field(default=(), repr=False)

    @property
    def fingerprint(self) -> str:
        """A hash by which a change of the section is recognised."""
        return hashlib.sha256("\n".join([self.jobs or "", *self.secrets]).encode()).hexdigest()[:40]


def signing_key(secret: str) -> bytes:
    """Return the key in a secret of Standard Webhooks. Raises SettingsError, which does not repeat it."""
    try:
        key = base64.b64decode(secret.removeprefix(_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not secret.startswith(_PREFIX) or not _KEY_LEAST <= len(key) <= _KEY_MOST:
        raise SettingsError(
            "expected a secret of Standard Webhooks, whsec_ and 24 to 64 bytes in base64; "
            'make one with echo "whsec_$(openssl rand -base64 32)"'
        )
    return key
