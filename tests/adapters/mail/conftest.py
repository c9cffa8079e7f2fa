"""An email as the portal writes it."""

from datetime import UTC, datetime

import pytest

from portal.adapters.mail.message import Message


@pytest.fixture
def message() -> Message:
    """Return a message to one invented person, with a word that must not appear in logs or errors."""
    return Message(
        sender="Acme careers <careers@acme.example>",
        to="marit.canary@example.org",
        subject="Your application has arrived",
        text="Dear canary,\nyour reference is r-1.\nGrüße aus München\n",
        html="<p>Dear canary, your reference is <b>r-1</b>.</p>",
        reference="receipt-r-1",
        at=datetime(2026, 3, 4, 5, 6, 7, tzinfo=UTC),
    )
