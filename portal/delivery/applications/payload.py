"""The fields of an application. This model is their only list.

The form's fields have these names and labels; comparing, sealing, sending, showing and exporting derive from the model.
"""

from pydantic import Field

from portal.delivery.envelopes.kinds import Payload, msgid


class ApplicationPayload(Payload):
    """A form that passed every check: text trimmed, NFC, within §8; phone in E.164; URL absolute.

    country is ISO 3166-1 alpha-2.
    """

    first_name: str = Field(title=msgid("First name"))
    last_name: str = Field(title=msgid("Last name"))
    email: str = Field(title=msgid("Email address"))
    phone_number: str = Field(title=msgid("Phone number"))
    network_url: str | None = Field(default=None, title=msgid("Link to a website or online profile"))
    city: str | None = Field(default=None, title=msgid("City"))
    region: str | None = Field(default=None, title=msgid("State or region"))
    postal_code: str | None = Field(default=None, title=msgid("Postcode"))
    country: str | None = Field(default=None, title=msgid("Country"))


def title_of(member: str) -> str:
    """Return the label of a field, in English."""
    return str(ApplicationPayload.model_fields[member].title)
