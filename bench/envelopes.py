"""Applications to accept, and the uploads that they claim: the file itself does not matter to what is measured."""

import json
import secrets

from portal.delivery.applications.payload import ApplicationPayload
from portal.delivery.envelopes.accept import NewDelivery
from portal.platform.clock import SystemClock
from portal.platform.crypto.sealing import Seal
from portal.tenants.model import MailAddresses, Tenant, TrackerLink

CLOCK = SystemClock()
SECRET = "s" * 32
SEAL = Seal(SECRET)
ACME = Tenant(
    "acme", "Acme", TrackerLink("http://127.0.0.1", "acme", "key"), mail=MailAddresses(None, "jobs@acme.example")
)
_ABOUT = SEAL.seal(json.dumps(["cv.pdf", secrets.token_hex(32)]))


def application(number: int) -> NewDelivery[ApplicationPayload]:
    """Another person's for each number."""
    email = f"ana{number}@people.example"
    fields = {"first_name": "Ana", "last_name": "García", "phone_number": "+4930901820", "city": "Berlin"}
    return NewDelivery(
        form_id=f"{number:032x}",
        about="job-1",
        title="Welder",
        email=email,
        locale="en",
        payload=ApplicationPayload(**fields, email=email, country="DE"),
        upload=f"{number:032x}",
    )


def upload_rows(numbers: range) -> list[dict[str, object]]:
    """A stored file for each application."""
    now = CLOCK.now()
    return [
        {
            "handle": f"{number:032x}",
            "tenant": "acme",
            "form_id": f"{number:032x}",
            "key": f"acme/{secrets.token_urlsafe(24)}",
            "sealed": _ABOUT,
            "media_type": "application/pdf",
            "size": 100_000,
            "created_at": now,
            "stored_at": now,
        }
        for number in numbers
    ]
