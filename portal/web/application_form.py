"""The application form: the fields of §4.8 and, where the tenant asks, consent."""

from dataclasses import dataclass

from flask_babel import lazy_gettext
from werkzeug.datastructures import MultiDict
from wtforms import BooleanField, FileField
from wtforms.validators import DataRequired

from portal.applications.payload import ApplicationPayload, title_of
from portal.contract import limits
from portal.tenants.model import Tenant
from portal.web.fields import countries, phone
from portal.web.fields.typed import EmailField, LinkField, PhoneField, TypedField, TypedForm


class CountryField(TypedField):
    """Its value is ISO 3166-1 alpha-2 or None."""

    def parse(self, typed: str) -> str | None:
        """By countries."""
        return countries.parse(typed)


class ApplicationForm(TypedForm):
    """Names of the fields are the contract's. The file is checked where it is stored, not here.

    Of the location nothing is required: §4.8 wants the object and none of its members, and nobody should have to say
    where they live before a company has spoken with them.
    """

    first_name = TypedField(
        lazy_gettext(title_of("first_name")),
        name="firstName",
        longest=limits.NAME_MAX,
        missing=lazy_gettext("Enter your first name."),
    )
    last_name = TypedField(
        lazy_gettext(title_of("last_name")),
        name="lastName",
        longest=limits.NAME_MAX,
        missing=lazy_gettext("Enter your last name. If you have only one name, enter it here too."),
    )
    email = EmailField(
        lazy_gettext(title_of("email")), name="email", missing=lazy_gettext("Enter your e-mail address.")
    )
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
                lazy_gettext("Please tick the box if you agree. Your application cannot be sent without your consent.")
            )
        ],
    )

    def __init__(self, posted: MultiDict[str, str] | None, *, tenant: Tenant) -> None:
        super().__init__(formdata=posted)
        # A number without + belongs to where its owner lives, or else to where the tenant is.
        self.phone_number.regions = ((self.country.data or "").strip().upper(), tenant.apply.phone_region)
        if not tenant.apply.consent:
            del self.consent

    def payload(self) -> ApplicationPayload:
        """What was typed, parsed; after validate(). Every member of the model has a field of its name."""
        return ApplicationPayload(**{name: self[name].value for name in ApplicationPayload.model_fields})

    def typed(self) -> list[tuple[str, str]]:
        """(label, text) of what was typed, for a page that can only show it."""
        return [(str(f.label.text), f.shown) for f in self if isinstance(f, TypedField) and f.shown.strip()]

    def asks_for(self) -> "list[Question]":
        """Every member that is typed, for a form of somebody else's."""
        return [
            Question(field.name, *_BOUNDS.get(type(field), ("text", field.longest)), required=not field.optional)
            for field in self
            if isinstance(field, TypedField)
        ]


@dataclass(frozen=True, slots=True)
class Question:
    """One member of an application. type: text, email, tel, url or country. longest: in UTF-16 units, as typed."""

    name: str
    type: str
    longest: int
    required: bool


_BOUNDS = {
    EmailField: ("email", limits.EMAIL_MAX),
    PhoneField: ("tel", phone.LONGEST),
    LinkField: ("url", limits.NETWORK_URL_MAX),
    CountryField: ("country", 2),
}
"""Where the parser has a bound of its own."""
