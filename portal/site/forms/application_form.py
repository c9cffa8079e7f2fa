"""The application form: the fields of §4.8, and consent if the tenant requires it."""

from dataclasses import dataclass

from flask_babel import lazy_gettext
from werkzeug.datastructures import MultiDict
from wtforms import BooleanField, FileField
from wtforms.validators import DataRequired

from portal.contract import bounds
from portal.delivery.applications.payload import ApplicationPayload, title_of
from portal.site.forms.fields import countries, phone
from portal.site.forms.fields.typed import EmailField, LinkField, PhoneField, TypedField, TypedForm
from portal.tenants.model import Tenant


class CountryField(TypedField):
    """A country; its value is ISO 3166-1 alpha-2 or None."""

    def parse(self, typed: str) -> str | None:
        """Return the value, as countries.parse does."""
        return countries.parse(typed)


class ApplicationForm(TypedForm):
    """The application form. Fields have the contract's names. The file is checked when it is stored, not here.

    No part of the location is required: §4.8 requires the object and none of its members, and nobody should have to say
    where they live before a company has spoken with them.
    """

    first_name = TypedField(
        lazy_gettext(title_of("first_name")),
        name="firstName",
        longest=bounds.NAME_MAX,
        missing=lazy_gettext("Enter your first name."),
    )
    last_name = TypedField(
        lazy_gettext(title_of("last_name")),
        name="lastName",
        longest=bounds.NAME_MAX,
        missing=lazy_gettext("Enter your last name. If you have only one name, enter it here too."),
    )
    email = EmailField(lazy_gettext(title_of("email")), name="email", missing=lazy_gettext("Enter your email address."))
    phone_number = PhoneField(
        lazy_gettext(title_of("phone_number")), name="phoneNumber", missing=lazy_gettext("Enter your phone number.")
    )
    network_url = LinkField(lazy_gettext(title_of("network_url")), name="networkUrl")
    city = TypedField(lazy_gettext(title_of("city")), name="city")
    region = TypedField(lazy_gettext(title_of("region")), name="region")
    postal_code = TypedField(lazy_gettext(title_of("postal_code")), name="postalCode", longest=20)
    country = CountryField(lazy_gettext(title_of("country")), name="country")
    cv = FileField(lazy_gettext("CV file"), name="cv")
    consent = BooleanField(
        name="consent",
        validators=[
            DataRequired(
                lazy_gettext("Tick the box if you agree. Your application cannot be sent without your consent.")
            )
        ],
    )

    def __init__(self, posted: MultiDict[str, str] | None, *, tenant: Tenant) -> None:
        super().__init__(formdata=posted)
        # A number without + belongs to the country where the candidate lives, or else to the tenant's.
        self.phone_number.regions = ((self.country.data or "").strip().upper(), tenant.apply.phone_region)
        if not tenant.apply.consent:
            del self.consent

    def payload(self) -> ApplicationPayload:
        """Return the parsed values, after validate(). Every member of the model has a field of its name."""
        return ApplicationPayload(**{name: self[name].value for name in ApplicationPayload.model_fields})

    def typed(self) -> list[tuple[str, str]]:
        """Return (label, text) of what was typed, for a page that can only show it."""
        return [(str(f.label.text), f.shown) for f in self if isinstance(f, TypedField) and f.shown.strip()]

    def asks_for(self) -> "list[FormQuestion]":
        """Return every typed member, for a form in a tenant's own front end."""
        return [
            FormQuestion(field.name, *_BOUNDS.get(type(field), ("text", field.longest)), required=not field.optional)
            for field in self
            if isinstance(field, TypedField)
        ]


@dataclass(frozen=True, slots=True)
class FormQuestion:
    """One member of an application. type: text, email, tel, url or country. longest: in UTF-16 units, as typed."""

    name: str
    type: str
    longest: int
    required: bool


_BOUNDS = {
    EmailField: ("email", bounds.EMAIL_MAX),
    PhoneField: ("tel", phone.LONGEST),
    LinkField: ("url", bounds.NETWORK_URL_MAX),
    CountryField: ("country", 2),
}
"""(type, longest) of fields whose parser has a limit of its own."""
