"""robots.txt (RFC 9309): what crawlers leave alone, and where the sitemap is."""

_ALONE = ("/jobs/*/apply", "/applications/", "/profile")
"""Forms, receipts and self-service: nobody looks for them, and each costs more than a kept page."""


def text(origin: str, *, slugs: bool) -> str:
    """For one host. slugs: its paths begin with a tenant's slug."""
    before = "/*" if slugs else ""
    alone = "".join(f"Disallow: {before}{path}\n" for path in _ALONE)
    return f"User-agent: *\n{alone}\nSitemap: {origin}/sitemap.xml\n"
