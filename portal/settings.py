"""The settings of the portal and the service: read from the environment here and nowhere else."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from portal.errors import SettingsError

_DURATION_LIMIT = 10 * 365 * 86_400


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything an operator can set. Durations are seconds, sizes bytes. Secrets are kept out of repr."""

    secret_key: str = field(repr=False)
    secret_key_fallbacks: tuple[str, ...] = field(default=(), repr=False)
    database_url: str = field(default="sqlite:///instance/portal.db", repr=False)
    tenants: Path = Path("instance/tenants")
    attachments: str = "file:instance/attachments"
    s3_endpoint: str | None = None
    mail: str = field(default="file:instance/mail", repr=False)
    base_url: str = "http://127.0.0.1:8000"
    trusted_proxies: int = 0
    rate_limits: str = field(default="memory:", repr=False)
    scanner: str = "off"
    max_cv_bytes: int = 10_485_760
    form_ttl: int = 86_400
    code_ttl: int = 600
    session_ttl: int = 1_800
    sync_interval: int = 60
    reconcile_interval: int = 86_400
    delivery_retry_base: float = 30
    delivery_deadline: float = 60
    delivery_lease: float = 180
    delivery_ambiguous_delay: float = 900
    delivery_give_up: float = 604_800
    purge_after: float = 604_800
    upload_ttl: float = 86_400
    metrics_token: str | None = field(default=None, repr=False)

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> "Settings":
        """Read PORTAL_* ; raises SettingsError naming the first variable that is wrong or missing."""
        env = _Reader(os.environ if environ is None else environ)
        settings = cls(
            **_security(env),
            **_parts(env),
            **_lifetimes(env),
            **_delivery(env),
        )
        if settings.delivery_deadline >= settings.delivery_lease:
            raise SettingsError(
                "PORTAL_DELIVERY_LEASE: must be longer than PORTAL_DELIVERY_DEADLINE, or two workers could send at once"
            )
        return settings


def _security(env: "_Reader") -> dict[str, Any]:
    return {
        "secret_key": env.secret("PORTAL_SECRET_KEY"),
        "secret_key_fallbacks": env.names("PORTAL_SECRET_KEY_FALLBACKS"),
        "base_url": env.origin("PORTAL_BASE_URL", "http://127.0.0.1:8000"),
        "trusted_proxies": env.integer("PORTAL_TRUSTED_PROXIES", 0, 0, 10),
        "max_cv_bytes": env.integer("PORTAL_MAX_CV_BYTES", 10_485_760, 1_024, 1_073_741_824),
        "metrics_token": env.text("PORTAL_METRICS_TOKEN", "") or None,
    }


def _parts(env: "_Reader") -> dict[str, Any]:
    return {
        "database_url": env.database("PORTAL_DATABASE_URL", "sqlite:///instance/portal.db"),
        "tenants": Path(env.text("PORTAL_TENANTS", "instance/tenants")),
        "attachments": env.matching(
            "PORTAL_ATTACHMENTS",
            "file:instance/attachments",
            r"file:.+|s3://[a-z0-9.-]{3,63}",
            "file:FOLDER or s3://BUCKET",
        ),
        "s3_endpoint": env.origin("PORTAL_S3_ENDPOINT", None),
        "mail": env.matching(
            "PORTAL_MAIL",
            "file:instance/mail",
            r"file:.+|smtps?://.+|ses:[a-z0-9-]+",
            "file:FOLDER, smtp://…, smtps://… or ses:REGION",
        ),
        "rate_limits": env.rate_limits("PORTAL_RATE_LIMITS"),
        "scanner": env.matching(
            "PORTAL_SCANNER",
            "off",
            r"off|clamd:/.+|clamd:[^/:]+:\d+|clamd:\[[0-9a-f:]+\]:\d+",
            "off, clamd:HOST:PORT or clamd:/PATH",
        ),
    }


def _lifetimes(env: "_Reader") -> dict[str, Any]:
    return {
        "form_ttl": env.seconds("PORTAL_FORM_TTL", 86_400),
        "code_ttl": env.seconds("PORTAL_CODE_TTL", 600),
        "session_ttl": env.seconds("PORTAL_SESSION_TTL", 1_800),
        "sync_interval": env.seconds("PORTAL_SYNC_INTERVAL", 60),
        "reconcile_interval": env.seconds("PORTAL_RECONCILE_INTERVAL", 86_400),
        "purge_after": env.duration("PORTAL_PURGE_AFTER", 604_800),
        "upload_ttl": env.duration("PORTAL_UPLOAD_TTL", 86_400),
    }


def _delivery(env: "_Reader") -> dict[str, Any]:
    return {
        "delivery_retry_base": env.duration("PORTAL_DELIVERY_RETRY_BASE", 30),
        "delivery_deadline": env.duration("PORTAL_DELIVERY_DEADLINE", 60),
        "delivery_lease": env.duration("PORTAL_DELIVERY_LEASE", 180),
        "delivery_ambiguous_delay": env.duration("PORTAL_DELIVERY_AMBIGUOUS_DELAY", 900),
        "delivery_give_up": env.duration("PORTAL_DELIVERY_GIVE_UP", 604_800),
    }


@dataclass(frozen=True, slots=True)
class TrackerSettings:
    """Settings of the recruitment tracking service."""

    database_url: str = field(default="sqlite:///instance/tracker.db", repr=False)
    base_url: str = "http://127.0.0.1:8001"
    rate_limit: int = 6_000
    """Requests a minute a key may make."""
    rate_limits: str = field(default="memory:", repr=False)

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> "TrackerSettings":
        """Read TRACKER_* ; raises SettingsError naming the first variable that is wrong."""
        env = _Reader(os.environ if environ is None else environ)
        return cls(
            database_url=env.database("TRACKER_DATABASE_URL", "sqlite:///instance/tracker.db"),
            base_url=env.origin("TRACKER_BASE_URL", "http://127.0.0.1:8001") or "",
            rate_limit=env.integer("TRACKER_RATE_LIMIT", 6_000, 1, 10_000_000),
            rate_limits=env.rate_limits("TRACKER_RATE_LIMITS"),
        )


def read_secret(reference: str) -> str:
    """The secret behind `env:NAME` or `file:/path`; a literal is refused. The value is in no error."""
    kind, _, where = reference.partition(":")
    if kind == "env" and where:
        value = os.environ.get(where, "")
        if not value:
            raise SettingsError(f"the environment variable {where} is not set")
    elif file := secret_file(reference):
        try:
            value = file.read_text(encoding="utf-8").strip()
        except (OSError, ValueError) as exc:  # ValueError: not UTF-8, or a name that no file can have
            raise SettingsError(f"the secret file {where} cannot be read") from exc
    else:
        raise SettingsError('expected "env:NAME" or "file:/path"; a literal secret is refused')
    if not re.fullmatch(r"[\x21-\x7e]{1,500}", value):
        raise SettingsError(f"the secret behind {kind}:{where} is not printable ASCII without spaces")
    return value


def secret_file(reference: str) -> Path | None:
    """The file that a reference of read_secret names, so that a change of it can be noticed."""
    kind, _, where = reference.partition(":")
    return Path(where) if kind == "file" and where else None


class _Reader:
    """One variable at a time, each named in the error when it is wrong; the value never is."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    def text(self, name: str, default: str) -> str:
        return self._environ.get(name, "").strip() or default

    def names(self, name: str) -> tuple[str, ...]:
        return tuple(part.strip() for part in self._environ.get(name, "").split(",") if part.strip())

    def secret(self, name: str) -> str:
        value = self.text(name, "")
        if len(value) < 16:
            raise SettingsError(f"{name}: required, at least 16 characters; make one with `openssl rand -hex 32`")
        return value

    def database(self, name: str, default: str) -> str:
        return self.matching(
            name,
            default,
            r"sqlite:///.+|postgresql\+psycopg://.+",
            "sqlite:///PATH or postgresql+psycopg://…",
        )

    def rate_limits(self, name: str) -> str:
        value = self.matching(name, "memory:", r"memory:|rediss?://.+", "memory: or redis://…")
        try:
            urlsplit(value).port  # noqa: B018  reading it checks it
        except ValueError:
            raise SettingsError(f"{name}: expected memory: or redis://HOST:PORT/NUMBER") from None
        return value

    def matching(self, name: str, default: str, pattern: str, expected: str) -> str:
        value = self.text(name, default)
        if not re.fullmatch(pattern, value):
            raise SettingsError(f"{name}: expected {expected}")
        return value

    def origin(self, name: str, default: str | None) -> str | None:
        value = self.text(name, default or "")
        if not value:
            return default
        parts = urlsplit(value)
        if parts.scheme not in {"http", "https"} or not parts.hostname or parts.path.strip("/") or parts.query:
            raise SettingsError(f"{name}: expected an origin such as https://careers.example, without a path")
        return value.rstrip("/")

    def integer(self, name: str, default: int, low: int, high: int) -> int:
        value = self.text(name, str(default))
        if not re.fullmatch(r"\d{1,12}", value) or not low <= int(value) <= high:
            raise SettingsError(f"{name}: expected a whole number from {low} to {high}")
        return int(value)

    def seconds(self, name: str, default: int) -> int:
        return self.integer(name, default, 1, _DURATION_LIMIT)

    def duration(self, name: str, default: float) -> float:
        """Like seconds, and fractions allowed: delivery is timed finely in tests and on fast links."""
        value = self.text(name, str(default))
        if not re.fullmatch(r"\d{1,10}(\.\d{1,6})?", value) or not 0 < float(value) <= _DURATION_LIMIT:
            raise SettingsError(f"{name}: expected a number of seconds above 0")
        return float(value)


def child_environment(**values: str) -> dict[str, str]:
    """This process's environment for a child, with `values` set in it."""
    return {**os.environ, **values}


def is_set(name: str) -> bool:
    """Whether a variable is there at all, whatever it says."""
    return bool(os.environ.get(name, "").strip())


def set_for_children(name: str, value: str) -> None:
    """Set a variable for the processes that this one starts, unless an operator has."""
    os.environ.setdefault(name, value)
