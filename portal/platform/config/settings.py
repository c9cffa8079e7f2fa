"""Settings of the portal and the tracking service: the environment is read here and nowhere else."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from portal.platform.config import private_files, variables
from portal.platform.errors import SettingsError
from portal.platform.logs.formatting import Form

STOP_TIMEOUT = 65
"""Default seconds that a stop waits for work in progress: a delivery may take a minute."""
COUNTED_IN = "PROMETHEUS_MULTIPROC_DIR"


class Exemption(StrEnum):
    """An exception that an operator allows to a rule that otherwise applies."""

    SMTP_CLEAR = "smtp-clear"
    """Emails without TLS to a mail server on the internet."""
    SERVICE_HTTP = "service-http"
    """A company's tracking service on the internet that is reached without TLS."""


def _exemptions(text: str | frozenset[Exemption]) -> frozenset[Exemption]:
    if isinstance(text, frozenset):
        return text
    try:
        return frozenset(map(Exemption, variables.names(text)))
    except ValueError:
        raise ValueError(f"expected {' or '.join(Exemption)}, comma separated") from None


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything an operator can set. Durations are in seconds, sizes in bytes. Secrets are not in its repr."""

    secret_key: Annotated[str, AfterValidator(variables.secret), Field(alias="PORTAL_SECRET_KEY")] = field(repr=False)
    secret_key_fallbacks: Annotated[
        tuple[str, ...], BeforeValidator(variables.names), Field(alias="PORTAL_SECRET_KEY_FALLBACKS")
    ] = field(default=(), repr=False)
    database_url: Annotated[variables.DatabaseAddress, Field(alias="PORTAL_DATABASE_URL")] = field(
        default="sqlite:///instance/portal.db", repr=False
    )
    tenants: Annotated[Path, Field(alias="PORTAL_TENANTS")] = Path("instance/tenants")
    attachments: Annotated[variables.StoreAddress, Field(alias="PORTAL_ATTACHMENTS")] = "file:instance/attachments"
    erasures: Annotated[variables.StoreAddress | None, Field(alias="PORTAL_ERASURES")] = None
    """Where erasures are recorded outside the database; None: in `attachments`."""
    s3_endpoint: Annotated[variables.OriginAddress | None, Field(alias="PORTAL_S3_ENDPOINT")] = None
    s3_public: Annotated[variables.PublicOrigin | None, Field(alias="PORTAL_S3_PUBLIC_ENDPOINT")] = None
    mail: Annotated[variables.MailServer, Field(alias="PORTAL_MAIL")] = field(default="file:instance/mail", repr=False)
    allow_insecure: Annotated[
        frozenset[Exemption], BeforeValidator(_exemptions), Field(alias="PORTAL_ALLOW_INSECURE")
    ] = frozenset()
    base_url: Annotated[variables.OriginAddress, Field(alias="PORTAL_BASE_URL")] = "http://127.0.0.1:8000"
    trusted_proxies: Annotated[int, variables.whole(0, 10), Field(alias="PORTAL_TRUSTED_PROXIES")] = 0
    rate_limits: Annotated[variables.RateLimitsAddress, Field(alias="PORTAL_RATE_LIMITS")] = field(
        default="memory:", repr=False
    )
    scanner: Annotated[variables.ScannerAddress, Field(alias="PORTAL_SCANNER")] = "off"
    max_cv_bytes: Annotated[int, variables.whole(1_024, 1_073_741_824), Field(alias="PORTAL_MAX_CV_BYTES")] = 10_485_760
    form_ttl: Annotated[variables.Seconds, Field(alias="PORTAL_FORM_TTL")] = 86_400
    code_ttl: Annotated[variables.Seconds, Field(alias="PORTAL_CODE_TTL")] = 600
    session_ttl: Annotated[variables.Seconds, Field(alias="PORTAL_SESSION_TTL")] = 1_800
    sync_interval: Annotated[variables.Seconds, Field(alias="PORTAL_SYNC_INTERVAL")] = 60
    reconcile_interval: Annotated[variables.Seconds, Field(alias="PORTAL_RECONCILE_INTERVAL")] = 86_400
    delivery_retry_base: Annotated[variables.Duration, Field(alias="PORTAL_DELIVERY_RETRY_BASE")] = 30
    delivery_deadline: Annotated[variables.Duration, Field(alias="PORTAL_DELIVERY_DEADLINE")] = 60
    delivery_lease: Annotated[variables.Duration, Field(alias="PORTAL_DELIVERY_LEASE")] = 180
    delivery_ambiguous_delay: Annotated[variables.Duration, Field(alias="PORTAL_DELIVERY_AMBIGUOUS_DELAY")] = 900
    delivery_give_up: Annotated[variables.Duration, Field(alias="PORTAL_DELIVERY_GIVE_UP")] = 604_800
    purge_after: Annotated[variables.Duration, Field(alias="PORTAL_PURGE_AFTER")] = 604_800
    forget_after: Annotated[
        int, variables.whole(30 * 86_400, variables.DURATION_LIMIT), Field(alias="PORTAL_FORGET_AFTER")
    ] = 34_560_000
    """400 days: a year, and time to answer later questions about it."""
    upload_ttl: Annotated[variables.Duration, Field(alias="PORTAL_UPLOAD_TTL")] = 86_400
    bodies_per_network: Annotated[int, variables.whole(1, 100_000), Field(alias="PORTAL_BODIES_PER_NETWORK")] = 20
    connections_per_network: Annotated[
        int, variables.whole(1, 100_000), Field(alias="PORTAL_CONNECTIONS_PER_NETWORK")
    ] = 50
    """Connections of one network to one web process, where there is no proxy in front."""
    health_listen: Annotated[
        tuple[str, int] | None, BeforeValidator(variables.listening), Field(alias="PORTAL_HEALTH_LISTEN")
    ] = None
    """Host and port on which health checks are also served."""
    threads: Annotated[int, variables.whole(1, 256), Field(alias="PORTAL_THREADS")] = field(
        default_factory=variables.twice_the_cores
    )
    """Requests that one web process handles at a time."""
    metrics_token: Annotated[str | None, Field(alias="PORTAL_METRICS_TOKEN")] = field(default=None, repr=False)
    stop_timeout: Annotated[int, variables.whole(1, 3_600), Field(alias="PORTAL_STOP_TIMEOUT")] = STOP_TIMEOUT
    console_user_header: Annotated[str | None, variables.header, Field(alias="PORTAL_CONSOLE_USER_HEADER")] = None
    """Header in which a proxy names the signed-in user of the console."""
    console_proxy_secret: Annotated[str | None, variables.shared_secret, Field(alias="PORTAL_CONSOLE_PROXY_SECRET")] = (
        field(default=None, repr=False)
    )
    console_proxies: Annotated[
        tuple[variables.Network, ...], BeforeValidator(variables.networks), Field(alias="PORTAL_CONSOLE_PROXIES")
    ] = ()
    """Addresses of that proxy, beside loopback."""
    console_origin: Annotated[variables.OriginAddress | None, Field(alias="PORTAL_CONSOLE_ORIGIN")] = None
    runbooks: Annotated[variables.WebAddress | None, Field(alias="PORTAL_RUNBOOKS")] = None
    """Where the manual is served other than by the console."""
    security_contact: Annotated[variables.SecurityContact | None, Field(alias="PORTAL_SECURITY_CONTACT")] = None
    """The contact in security.txt (RFC 9116); None: no such file is served."""
    security_policy: Annotated[variables.SecurityPolicy | None, Field(alias="PORTAL_SECURITY_POLICY")] = None

    @property
    def is_behind_proxy(self) -> bool:
        """Whether all requests come through a proxy: one that is trusted, or one that terminates TLS."""
        return self.trusted_proxies > 0 or self.base_url.startswith("https:")

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> "Settings":
        """Read PORTAL_* variables; raises SettingsError that names every variable that is wrong or missing."""
        settings = variables.read(cls, os.environ if environ is None else environ, {"PORTAL_SECRET_KEY": ""})
        if settings.delivery_deadline >= settings.delivery_lease:
            raise SettingsError(
                "PORTAL_DELIVERY_LEASE: must be longer than PORTAL_DELIVERY_DEADLINE, or two workers could send the "
                "same submission"
            )
        if settings.purge_after > settings.forget_after:
            raise SettingsError("PORTAL_FORGET_AFTER: must not be shorter than PORTAL_PURGE_AFTER")
        return settings


@dataclass(frozen=True, slots=True)
class TrackerSettings:
    """Settings of the recruitment tracking service; of its hiring pages those from secret_key on.

    The hiring pages read CVs where the portal stores them.
    """

    database_url: Annotated[variables.DatabaseAddress, Field(alias="TRACKER_DATABASE_URL")] = field(
        default="sqlite:///instance/tracker.db", repr=False
    )
    base_url: Annotated[variables.OriginAddress, Field(alias="TRACKER_BASE_URL")] = "http://127.0.0.1:8001"
    rate_limit: Annotated[int, variables.whole(1, 10_000_000), Field(alias="TRACKER_RATE_LIMIT")] = 6_000
    """Requests per minute for each API key."""
    threads: Annotated[int, variables.whole(1, 256), Field(alias="TRACKER_THREADS")] = field(
        default_factory=variables.twice_the_cores
    )
    """Requests that one process handles at a time."""
    public_rate_limit: Annotated[int, variables.whole(1, 10_000_000), Field(alias="TRACKER_PUBLIC_RATE_LIMIT")] = 6_000
    """Requests without a key (§4.8, §4.10) per minute for each network."""
    rate_limits: Annotated[variables.RateLimitsAddress, Field(alias="TRACKER_RATE_LIMITS")] = field(
        default="memory:", repr=False
    )
    metrics_token: Annotated[str | None, Field(alias="TRACKER_METRICS_TOKEN")] = field(default=None, repr=False)
    security_contact: Annotated[variables.SecurityContact | None, Field(alias="PORTAL_SECURITY_CONTACT")] = None
    security_policy: Annotated[variables.SecurityPolicy | None, Field(alias="PORTAL_SECURITY_POLICY")] = None
    secret_key: Annotated[str | None, AfterValidator(variables.secret), Field(alias="TRACKER_SECRET_KEY")] = field(
        default=None, repr=False
    )
    secret_key_fallbacks: Annotated[
        tuple[str, ...], BeforeValidator(variables.names), Field(alias="TRACKER_SECRET_KEY_FALLBACKS")
    ] = field(default=(), repr=False)
    mail: Annotated[variables.MailServer | None, Field(alias="TRACKER_MAIL")] = field(default=None, repr=False)
    allow_insecure: Annotated[
        frozenset[Exemption], BeforeValidator(_exemptions), Field(alias="PORTAL_ALLOW_INSECURE")
    ] = frozenset()
    attachments: Annotated[variables.StoreAddress, Field(alias="PORTAL_ATTACHMENTS")] = "file:instance/attachments"
    s3_endpoint: Annotated[variables.OriginAddress | None, Field(alias="PORTAL_S3_ENDPOINT")] = None
    trusted_proxies: Annotated[int, variables.whole(0, 10), Field(alias="PORTAL_TRUSTED_PROXIES")] = 0
    portal_database: Annotated[variables.DatabaseAddress | None, Field(alias="PORTAL_DATABASE_URL")] = field(
        default=None, repr=False
    )
    """The portal's database, for candidates' requests; with portal_secret, if the service runs beside the portal."""
    portal_secret: Annotated[str | None, AfterValidator(variables.secret), Field(alias="PORTAL_SECRET_KEY")] = field(
        default=None, repr=False
    )
    portal_secret_fallbacks: Annotated[
        tuple[str, ...], BeforeValidator(variables.names), Field(alias="PORTAL_SECRET_KEY_FALLBACKS")
    ] = field(default=(), repr=False)

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> "TrackerSettings":
        """Read TRACKER_* variables; raises SettingsError that names every variable that is wrong."""
        return variables.read(cls, os.environ if environ is None else environ, {})


@dataclass(frozen=True, slots=True)
class LogSettings:
    """How every process of the portal and the tracking service writes its log."""

    form: Annotated[Form | None, BeforeValidator(variables.form), Field(alias="PORTAL_LOG")] = None
    """None: text on a terminal, else JSON."""

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> "LogSettings":
        """Read PORTAL_LOG; raises SettingsError."""
        return variables.read(cls, os.environ if environ is None else environ, {})


def expectation(name: str, text: str) -> str | None:
    """Return what is wrong with this value of a portal setting, or None: for interactive input."""
    try:
        Settings.from_env({"PORTAL_SECRET_KEY": "only to have one", name: text})
    except SettingsError as error:
        return str(error).removeprefix(f"{name}: ")
    return None


def misspelt(environ: Mapping[str, str] | None = None) -> list[str]:
    """Return a sentence for each PORTAL_… and TRACKER_… variable that nothing reads, with the closest known name."""
    return variables.misspelt(os.environ if environ is None else environ, Settings, TrackerSettings, LogSettings)


def read_secret(reference: str) -> str:
    """Return the secret behind `env:NAME` or `file:/path`. Raises SettingsError, also for a literal; never shows it."""
    kind, _, where = reference.partition(":")
    if kind == "env" and where:
        value = os.environ.get(where, "")
        if not value:
            raise SettingsError(f"the environment variable {where} is not set")
    elif file := secret_file(reference):
        try:
            value = file.read_text(encoding="utf-8").strip()
        except (OSError, ValueError) as exc:  # ValueError: not UTF-8, or an impossible file name
            why = private_files.why_unreadable(file, exc)
            raise SettingsError(f"the secret file {where} cannot be read: {why}") from exc
    else:
        raise SettingsError('expected "env:NAME" or "file:/path"; a literal secret is refused')
    if not value:
        raise SettingsError(f"the secret file {where} is empty: write the key into it")
    if not re.fullmatch(r"[\x21-\x7e]{1,500}", value):
        raise SettingsError(f"the secret behind {kind}:{where} is not printable ASCII without spaces")
    return value


def secret_file(reference: str) -> Path | None:
    """Return the file that a reference of read_secret names, so that changes to it can be noticed."""
    kind, _, where = reference.partition(":")
    return home() / where if kind == "file" and where else None


def home() -> Path:
    """Return the folder that relative paths start from. Raises SettingsError."""
    return variables.home(os.environ) or Path()


def from_home(address: str) -> str:
    """Return the address of a database or storage with its path from home(), as in a setting. Raises SettingsError."""
    return variables.located(address, home())


def child_environment(**values: str) -> dict[str, str]:
    """Return this process's environment for a child, with `values` set in it."""
    return {**os.environ, **values}


def is_set(name: str, *values: str) -> bool:
    """Return whether a variable is set to anything; or, with values, to one of them in any case."""
    setting = os.environ.get(name, "").strip().lower()
    return setting in values if values else bool(setting)


def counted_in() -> Path | None:
    """Return the folder in which a server's processes share metrics, as prometheus_client knows it; None if unset."""
    where = os.environ.get(COUNTED_IN, "").strip()
    return Path(where) if where else None


def set_for_children(name: str, value: str, *, whatever_it_was: bool = False) -> None:
    """Set a variable for child processes, unless an operator has set it; whatever_it_was: overwrite it in any case."""
    if whatever_it_was or not is_set(name):
        os.environ[name] = value


def take_back(name: str) -> None:
    """Unset the variable for processes that are started from now on."""
    os.environ.pop(name, None)
