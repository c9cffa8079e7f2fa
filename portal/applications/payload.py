"""What an application says. This model is the one list of its members.

The form's fields have their names and labels; what is compared, sealed, sent, shown and exported is derived from it.
"""

from pydantic import Field

from portal.deliveries.kinds import Payload, msgid


class ApplicationPayload(Payload):
    """A form that passed every check: text trimmed, NFC, within §8; phone in E.164; URL absolute.

    country is ISO 3166-1 alpha-2.
    """

    first_name: str = Field(title=msgid("First name"))
    last_name: str = Field(title=msgid("Last name"))
    email: str = Field(title=msgid("E-mail"))
    phone_number: str = Field(title=msgid("Phone number"))
    network_url: str | None = Field(default=None, title=msgid("Link to a profile or website"))
    city: str | None = Field(default=None, title=msgid("City"))
    region: str | None = Field(default=None, title=msgid("State or region"))
    postal_code: str | None = Field(default=None, title=msgid("Postal code"))
    country: str | None = Field(default=None, title=msgid("Country"))


def title_of(member: str) -> str:
    """What a member is called, in English."""
    return str(ApplicationPayload.model_fields[member].title)
