"""The languages that a tenant's pages and mails can be in."""

COMPLETE = ("en", "de", "fr", "es", "it", "nl", "pl", "ar")
"""English is in the code; the others have complete catalogues in portal/translations, which a test checks."""


def is_complete(tag: str) -> bool:
    """Return whether pages in that language are fully translated. de-AT has de's texts, with Austria's formats."""
    return tag.partition("-")[0] in COMPLETE
