"""Every member of an application has a control in the form.

Whatever the form asks for, a front end of the company's own may send as JSON."""

import json

import pytest
from pydantic import ValidationError

from portal.contract.bodies import LocationBody, Submission
from portal.delivery.applications.payload import ApplicationPayload
from portal.site.apply.json_body import ApplicationBody, body_of, fields_of
from portal.site.embed.jobs import members
from portal.site.forms.application_form import ApplicationForm
from portal.site.forms.fields.typed import TypedField
from tests.builders import Portal
from tests.site.apply.applicant import Applicant
from tests.site.embed.front_end import ADA

SENT = {**ADA, "cvAttachmentId": "0" * 64}


class FormWithColour(ApplicationForm):
    """The form with one more optional field."""

    favourite_colour = TypedField("Favourite colour", name="favouriteColour", longest=40)


def test_each_member_has_a_control_and_each_control_a_member(ada: Applicant) -> None:
    goes_to = {**LocationBody.model_fields, **Submission.model_fields}
    assert set(ada.page.typed) == {goes_to[name].alias for name in ApplicationPayload.model_fields}


def test_an_optional_field_of_the_form_is_accepted_as_json() -> None:
    body = body_of(FormWithColour)
    said = json.dumps({**SENT, "favouriteColour": "blue"})
    assert fields_of(body.model_validate_json(said))["favouriteColour"] == "blue"
    assert "favouriteColour" not in fields_of(body.model_validate_json(json.dumps(SENT)))
    with pytest.raises(ValidationError, match="at most 40 characters"):
        body.model_validate_json(json.dumps({**SENT, "favouriteColour": "x" * 41}))
    with pytest.raises(ValidationError, match="favouriteColour"):
        ApplicationBody.model_validate_json(said)


def test_an_optional_field_of_the_form_is_described_to_front_ends(acme: Portal) -> None:
    tenant = acme.parts.tenants.require("acme")
    with acme.app.test_request_context("/acme/"):
        asked, before = (members(form(None, tenant=tenant)) for form in (FormWithColour, ApplicationForm))
    assert asked[:-1] == before
    assert (asked[-1].name, asked[-1].type, asked[-1].required, asked[-1].max_length) == (
        "favouriteColour",
        "text",
        False,
        40,
    )
