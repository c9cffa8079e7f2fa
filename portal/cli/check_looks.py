"""Checks of a tenant's appearance: colours, contrast, and settings that its file omits."""

from collections.abc import Iterator

from portal.cli.preflight import CheckResult
from portal.platform.database.db import Database
from portal.site.design import accent
from portal.tenants.model import Tenant
from portal.tenants.pictures import stored_pictures


def lines(tenant: Tenant) -> Iterator[CheckResult]:
    """Yield colours with their contrast, and the settings that are missing; none of it fails."""
    colour = tenant.site.accent
    by_day = _scheme("light", accent.light(colour), accent.LIGHT_GROUNDS)
    by_night = _scheme("dark", accent.dark(colour), accent.DARK_GROUNDS)
    yield CheckResult(f"colours {tenant.slug}", ok=True, says=f"{colour} becomes {by_day}; {by_night}")
    unset = {
        "site.logo": tenant.site.logo,
        "site.tagline": tenant.site.tagline,
        "site.about": tenant.site.about,
        "apply.privacy_url": tenant.apply.privacy_url,
        "mail.from": tenant.mail.sender,
    }
    left_out = [name for name, value in unset.items() if not value]
    says = f"not set: {', '.join(left_out)}" if left_out else "nothing is missing"
    yield CheckResult(f"site {tenant.slug}", ok=True, says=says, warns=bool(left_out))


def pictures(db: Database, tenant: Tenant) -> Iterator[CheckResult]:
    """Yield one line for each picture that the tenant file names."""
    missing = stored_pictures.missing(db, tenant)
    for kind in stored_pictures.addresses(tenant):
        yield CheckResult(f"{kind} {tenant.slug}", ok=True, says=missing.get(kind, "fetched"), warns=kind in missing)


def _scheme(name: str, palette: accent.Palette, grounds: tuple[str, ...]) -> str:
    on_page = min(accent.contrast(palette.text, ground) for ground in (*grounds, palette.soft))
    on_button = accent.contrast(palette.on_fill, palette.fill)
    return f"{name}: buttons {palette.fill}, text contrast {on_button:.1f}:1; links {palette.text}, {on_page:.1f}:1"
