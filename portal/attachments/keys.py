"""What an attachment's key looks like: `{slug}/{random}`, the attachment id that the service is sent."""

import re

_KEY = re.compile(r"[A-Za-z0-9_-]{1,50}/[A-Za-z0-9_-]{1,98}")
_LENGTH = 100  # §8: cvAttachmentId has 1 to 100 characters


def check_key(key: str) -> None:
    """Raise ValueError unless it is one. Keys are made by this product, so a wrong one is a mistake in it."""
    if len(key) > _LENGTH or not _KEY.fullmatch(key):
        # The key itself stays out of the message: it opens a person's CV.
        raise ValueError("not an attachment key: expected slug/random, at most 100 characters of A-Z a-z 0-9 _ -")
