"""security.txt (RFC 9116): the contact for reports of vulnerabilities, the same for portal and tracking service."""

from collections.abc import Iterable
from datetime import UTC, datetime, time, timedelta

PATH = "/.well-known/security.txt"
CONTENT_TYPE = "text/plain; charset=utf-8"
"""The content type that RFC 9116 §3 requires."""

_VALID_FOR = timedelta(days=364)
"""RFC 9116 §2.5.5 asks for less than a year."""


def text(contact: str, policy: str | None, *, origin: str, now: datetime, languages: Iterable[str] = ()) -> str:
    """Return the file; it is the same all day, and so is its ETag.

    contact: mailto:, tel: or https:. policy: https address of the policy for reporters. origin: at which the file was
    requested; a file that names another one must not be trusted (§2.5.2). languages: in which reports can be written,
    as tags; none: English (§2.5.8).
    """
    today = datetime.combine(now.astimezone(UTC).date(), time(), UTC)
    fields = [
        ("Contact", contact),
        ("Expires", f"{today + _VALID_FOR:%Y-%m-%dT%H:%M:%SZ}"),
        ("Preferred-Languages", ", ".join(languages)),
        ("Canonical", f"{origin}{PATH}"),
        ("Policy", policy),
    ]
    return "".join(f"{name}: {value}\n" for name, value in fields if value)
