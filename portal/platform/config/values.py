"""Types of setting values: each parses the text of one variable, or says what was expected."""

import os
import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator

from portal.platform.config import variables
from portal.platform.logs.formatting import Form

DURATION_LIMIT = 10 * 365 * 86_400


def secret(text: str) -> str:
    """Return a secret key as it is, if it is long enough."""
    if not text:
        raise ValueError(
            "required, but not set: load the settings of this portal, `set -a; . DIR/settings.env; set +a`; "
            "only a new portal needs a new key, which `portal init DIR` makes"
        )
    if len(text) < 16:
        raise ValueError("at least 16 characters are required; make one with `openssl rand -hex 32`")
    return text


def names(text: str) -> tuple[str, ...]:
    """Return the parts of a comma separated list."""
    return tuple(part.strip() for part in text.split(",") if part.strip())


def matching(pattern: str, expected: str) -> AfterValidator:
    """Return the check that a whole text matches a pattern. expected: in words."""

    def check(text: str) -> str:
        if not re.fullmatch(pattern, text):
            raise ValueError(f"expected {expected}")
        return text

    return AfterValidator(check)


def with_a_port(text: str) -> str:
    """Return a Redis address as it is, if its port is a number."""
    try:
        urlsplit(text).port  # noqa: B018  reading it checks it
    except ValueError:
        raise ValueError("expected memory: or redis://HOST:PORT/NUMBER") from None
    return text


def whole(low: int, high: int) -> BeforeValidator:
    """Return the parser of a whole number within bounds, both included."""

    def read(text: str) -> int:
        if not re.fullmatch(r"\d{1,12}", text) or not low <= int(text) <= high:
            raise ValueError(f"expected a whole number from {low} to {high}")
        return int(text)

    return BeforeValidator(read)


def duration(text: str) -> float:
    """Parse seconds, fractions allowed: delivery is timed finely in tests and on fast links."""
    if not re.fullmatch(r"\d{1,10}(\.\d{1,6})?", text) or not 0 < float(text) <= DURATION_LIMIT:
        raise ValueError("expected a number of seconds above 0")
    return float(text)


shared_secret = matching(r"[!-~]{16,200}", "16 to 200 visible ASCII characters, as `openssl rand -hex 32` prints")
header = matching(r"[A-Za-z][A-Za-z0-9-]{1,60}", "the name of a header, such as X-Forwarded-User")


def form(text: str) -> Form:
    """Return the form of the log."""
    try:
        return Form(text)
    except ValueError:
        raise ValueError("expected text or json") from None


def twice_the_cores() -> int:
    """Return twice the number of cores that this process may use."""
    return 2 * len(os.sched_getaffinity(0))


DatabaseAddress = Annotated[
    str, matching(r"sqlite:///.+|postgresql\+psycopg://.+", "sqlite:///PATH or postgresql+psycopg://…")
]
StoreAddress = Annotated[str, matching(r"file:.+|s3://[a-z0-9.-]{3,63}", "file:FOLDER or s3://BUCKET")]
MailServer = Annotated[
    str,
    matching(r"file:.+|smtps?://.+|ses:[a-z0-9-]+", "file:FOLDER, smtp://…, smtps://… or ses:REGION"),
]
ScannerAddress = Annotated[
    str,
    matching(r"off|clamd:/.+|clamd:[^/:]+:\d+|clamd:\[[0-9a-f:]+\]:\d+", "off, clamd:HOST:PORT or clamd:/PATH"),
]
RateLimitsAddress = Annotated[
    str, matching(r"memory:|rediss?://.+", "memory: or redis://…"), AfterValidator(with_a_port)
]
OriginAddress = Annotated[str, AfterValidator(variables.origin)]
WebAddress = Annotated[str, matching(r"[!-~]{1,500}", "an address without spaces"), AfterValidator(variables.address)]
PublicOrigin = Annotated[str, AfterValidator(lambda text: text if text == "none" else variables.origin(text))]
Seconds = Annotated[int, whole(1, DURATION_LIMIT)]
Duration = Annotated[float, BeforeValidator(duration)]
