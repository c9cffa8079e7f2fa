"""The languages that a tenant's pages and mails can be in."""

COMPLETE = ("en", "de", "fr", "es", "it", "nl", "pl", "ar")
"""English is in the code; each of the others has a whole catalogue in portal/translations, which a test looks after."""


def is_complete(tag: str) -> bool:
    """Whether pages in that language have all their words. de-AT has those of de, and Austria's dates and money."""
    return tag.partition("-")[0] in COMPLETE
