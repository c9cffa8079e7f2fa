"""The body of an application sent as JSON (§4.8, with the handle of an upload, and consent), and the responses.

The members of the body are generated from the fields of the application form, so that none is missing.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.alias_generators import to_camel
from pydantic.fields import FieldInfo
from werkzeug.datastructures import MultiDict

from portal.contract.bodies import Submission
from portal.contract.model import Write
from portal.site.forms.application_form import IN_LOCATION, ApplicationForm
from portal.site.forms.fields.typed import TypedField

CV_ATTACHMENT_ID = "cvAttachmentId"


def body_of(form: type[ApplicationForm]) -> type[Write]:
    """Return the model of the JSON body for this form: its typed fields, the handle of an upload, and consent.

    A field is required if the form requires it, or if §4.8 does; the latter may be null.
    """
    top: dict[str, Any] = {}
    home: dict[str, Any] = {"type": (Literal["primary_home"] | None, None)}
    for member, field in form.typed_fields().items():
        (home if field.name in IN_LOCATION else top)[member] = _member(field, Submission.model_fields.get(member))
    about = "Where the applicant lives; the fields of the interface's location that the portal's form has."
    handle = Field(
        alias=CV_ATTACHMENT_ID,
        pattern="^[0-9a-f]{64}$",
        description="The handle that the upload returned; valid for one application.",
    )
    consent = Field(default=None, description="True where the job asks for it; else left out.")
    return create_model(
        "ApplicationBody",
        __base__=Write,
        __module__=__name__,
        __doc__="What is sent to apply for a job.",
        **top,
        cv_attachment_id=(str, handle),
        location=create_model("Home", __base__=Write, __module__=__name__, __doc__=about, **home),
        consent=(bool | None, consent),
    )


def _member(field: TypedField, of_interface: FieldInfo | None) -> tuple[object, object]:
    """Return (type, definition) of a member. of_interface: the member of the same name in §4.8, if there is one."""
    required = not field.optional or (of_interface is not None and of_interface.is_required())
    definition = Field(
        default=... if required else None,
        alias=field.name,
        min_length=field.shortest or (None if field.optional else 1),
        max_length=field.longest,
        description=field.explanation,
        json_schema_extra={"format": field.json_format},
    )
    return (str | None if field.optional else str), definition


ApplicationBody = body_of(ApplicationForm)


def fields_of(body: Write) -> MultiDict[str, str]:
    """Return the fields that this portal's own form would have posted; and cvAttachmentId."""
    values = body.model_dump(by_alias=True)
    values |= values["location"] | {"consent": "y" if values["consent"] else None}
    return MultiDict({name: value for name, value in values.items() if isinstance(value, str)})


BODY_EXAMPLE = ApplicationBody.model_validate(
    {
        "firstName": "Ada",
        "lastName": "Lovelace",
        "email": "ada@people.example",
        "phoneNumber": "+49 30 1234567",
        "networkUrl": "https://network.example/in/ada",
        "cvAttachmentId": "0123456789abcdef" * 4,
        "location": {
            "type": "primary_home",
            "city": "Berlin",
            "region": "Berlin",
            "postalCode": "10115",
            "country": "DE",
        },
        "consent": True,
    }
)
CV_EXAMPLE = "Ada Lovelace, ada@people.example. Notes on the Analytical Engine, 1842 to 1843; Bachelor of Engines.\n"


class _Answer(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class Accepted(_Answer):
    """An application that is on disk, and will be delivered."""

    reference: str
    receipt: str = Field(description="The address of a page with its status, without personal data.")


class Stored(_Answer):
    """A CV that was checked and stored."""

    cv_attachment_id: str = Field(description="For the body of one application to the same company.")
    expires_at: str = Field(
        description="It is deleted after this unless an application uses it.", json_schema_extra={"format": "date-time"}
    )


ACCEPTED_EXAMPLE = Accepted(
    reference="3f1c0a9e5b7d4c2f", receipt="https://careers.example/example/applications/3f1c0a9e5b7d4c2f"
)
STORED_EXAMPLE = Stored(cv_attachment_id="0123456789abcdef" * 4, expires_at="2026-05-07T09:30:00+00:00")
