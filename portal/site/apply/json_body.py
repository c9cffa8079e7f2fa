"""The body of an application sent as JSON (§4.8, with the handle of an upload, and consent), and the responses."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from werkzeug.datastructures import MultiDict

from portal.contract import bounds
from portal.contract.model import Write
from portal.site.forms.fields import phone

_LINE = {"format": "line"}
Name = Annotated[str, Field(min_length=bounds.NAME_MIN, max_length=bounds.NAME_MAX, json_schema_extra=_LINE)]
Place = Annotated[str | None, Field(default=None, max_length=200, json_schema_extra=_LINE)]


class Home(Write):
    """Where the applicant lives; of the interface's location what a form of this portal asks for."""

    type: Literal["primary_home"] | None = None
    city: Place
    region: Place
    postal_code: Annotated[str | None, Field(default=None, max_length=20, json_schema_extra=_LINE)]
    country: Annotated[
        str | None,
        Field(default=None, max_length=2, json_schema_extra={"format": "country"}, description="ISO 3166-1."),
    ]


class ApplicationBody(Write):
    """What is sent to apply for a job."""

    first_name: Name
    last_name: Name
    email: Annotated[
        str, Field(min_length=bounds.EMAIL_MIN, max_length=bounds.EMAIL_MAX, json_schema_extra={"format": "email"})
    ]
    phone_number: Annotated[
        str,
        Field(
            min_length=1,
            max_length=phone.LONGEST,
            json_schema_extra={"format": "phone"},
            description="As people write it; with + and the country code where the company is elsewhere.",
        ),
    ]
    network_url: Annotated[
        str | None, Field(min_length=1, max_length=bounds.NETWORK_URL_MAX, json_schema_extra={"format": "uri"})
    ]
    cv_attachment_id: Annotated[
        str, Field(pattern="^[0-9a-f]{64}$", description="What the upload answered; good for one application.")
    ]
    location: Home
    consent: bool | None = Field(default=None, description="True where the job asks for it; else left out.")

    def fields(self) -> MultiDict[str, str]:
        """Return the form fields that this portal's own form would have posted."""
        said = self.model_dump(by_alias=True, exclude={"cv_attachment_id", "consent", "location"})
        said |= self.location.model_dump(by_alias=True, exclude={"type"})
        given = {name: value for name, value in said.items() if value is not None}
        return MultiDict(given | ({"consent": "y"} if self.consent else {}))


IN_LOCATION = frozenset(field.alias for field in Home.model_fields.values())
"""Names of form fields that are inside `location` in the JSON body."""


class _Answer(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class Accepted(_Answer):
    """An application that is on disk, and will be delivered."""

    reference: str
    receipt: str = Field(description="The address of a page that says where it stands; nothing personal is on it.")


class Stored(_Answer):
    """A CV that was checked and stored."""

    cv_attachment_id: str = Field(description="For the body of one application to the same company.")
    expires_at: str = Field(
        description="After this it is deleted if no application came.", json_schema_extra={"format": "date-time"}
    )
