"""A message, as the portal writes them."""

from datetime import UTC, datetime

import pytest

from portal.adapters.mail.message import Message


@pytest.fixture
def message() -> Message:
    """To one invented person, with a word in it that must appear in no log and no error."""
    return Message(
        sender="Acme careers <careers@acme.example>",
        to="marit.canary@example.org",
        subject="Your application has arrived",
        text="Dear canary,\nyour reference is r-1.\nGrüße aus München\n",
        html="<p>Dear canary, your reference is <b>r-1</b>.</p>",
        reference="receipt-r-1",
        at=datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC),
    )
