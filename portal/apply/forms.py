"""The application form: the fields of §4.8 and, where the tenant asks, consent."""

from flask_babel import LazyString, lazy_gettext
from flask_wtf import FlaskForm
from werkzeug.datastructures import MultiDict
from wtforms import BooleanField, FileField, StringField, ValidationError
from wtforms.validators import DataRequired

from portal.applications.payload import ApplicationPayload, title_of
from portal.contract import limits
from portal.tenants.model import Tenant
from portal.web.fields import countries, email_address, link, phone, text, words
from portal.web.fields.refusal import Refused

_PLACE_LONGEST = 200
"""§2.1 bounds no member of a location; this is room for the longest place name there is, twice over."""


class TypedField(StringField):
    """A line of text that one parser turns into `value`; `data` stays what was typed.

    missing: what to say when it is required and empty.
    """

    def __init__(
        self, label: LazyString, *, longest: int = _PLACE_LONGEST, missing: LazyString | str = "", **kwargs: object
    ) -> None:
        super().__init__(label, **kwargs)
        self.longest = longest
        self.missing = missing
        self.value: str | None = None

    @property
    def optional(self) -> bool:
        """Whether it may be left empty."""
        return not self.missing

    @property
    def shown(self) -> str:
        """What was typed, for showing again."""
        return text.displayable(self.data or "")

    def pre_validate(self, form: "ApplicationForm") -> None:
        """Parse; WTForms collects the message."""
        try:
            self.value = self.parse(form, self.data or "")
        except Refused as why:
            raise ValidationError(words.refused(why, missing=str(self.missing))) from why

    def parse(self, form: "ApplicationForm", typed: str) -> str | None:  # noqa: ARG002  some parsers look at the form
        """The value; None where nothing was given."""
        if self.optional:
            return text.single_line(typed, longest=self.longest) or None
        return text.required(typed, longest=self.longest)


class EmailField(TypedField):
    """Its value is the normalised address."""

    def parse(self, form: "ApplicationForm", typed: str) -> str | None:  # noqa: ARG002
        """By email_address."""
        return email_address.parse(typed)


class PhoneField(TypedField):
    """Its value is E.164."""

    def parse(self, form: "ApplicationForm", typed: str) -> str | None:
        """A number without + belongs to where its owner lives, or else to where the tenant is."""
        return phone.parse(typed, regions=((form.country.data or "").strip().upper(), form.phone_region))


class LinkField(TypedField):
    """Its value is an absolute URI or None."""

    def parse(self, form: "ApplicationForm", typed: str) -> str | None:  # noqa: ARG002
        """By link."""
        return link.parse(typed)


class CountryField(TypedField):
    """Its value is ISO 3166-1 alpha-2 or None."""

    def parse(self, form: "ApplicationForm", typed: str) -> str | None:  # noqa: ARG002
        """By countries."""
        return countries.parse(typed)


class ApplicationForm(FlaskForm):
    """Names of the fields are the contract's. The file is checked where it is stored, not here.

    Of the location nothing is required: §4.8 wants the object and none of its members, and nobody should have to say
    where they live before a company has spoken with them.
    """

    class Meta:
        """Flask-WTF's own CSRF token lives in a session cookie, which this form must do without (see formtoken)."""

        csrf = False

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
        lazy_gettext(title_of("email")),
        name="email",
        longest=limits.EMAIL_MAX,
        missing=lazy_gettext("Enter your e-mail address."),
    )
    phone_number = PhoneField(
        lazy_gettext(title_of("phone_number")),
        name="phoneNumber",
        longest=phone.LONGEST,
        missing=lazy_gettext("Enter your phone number."),
    )
    network_url = LinkField(lazy_gettext(title_of("network_url")), name="networkUrl", longest=limits.NETWORK_URL_MAX)
    city = TypedField(lazy_gettext(title_of("city")), name="city")
    region = TypedField(lazy_gettext(title_of("region")), name="region")
    postal_code = TypedField(lazy_gettext(title_of("postal_code")), name="postalCode", longest=20)
    country = CountryField(lazy_gettext(title_of("country")), name="country")
    cv = FileField(lazy_gettext("CV file"), name="cv")
    consent = BooleanField(
        name="consent",
        validators=[DataRequired(lazy_gettext("Please tick the box if you agree. We need your consent to go on."))],
    )

    def __init__(self, posted: MultiDict[str, str] | None, *, tenant: Tenant) -> None:
        super().__init__(formdata=posted)
        self.phone_region = tenant.apply.phone_region
        if not tenant.apply.consent:
            del self.consent

    def payload(self) -> ApplicationPayload:
        """What was typed, parsed; after validate(). Every member of the model has a field of its name."""
        return ApplicationPayload(**{name: self[name].value for name in ApplicationPayload.model_fields})

    def typed(self) -> list[tuple[str, str]]:
        """(label, text) of what was typed, for a page that can only show it."""
        return [(str(f.label.text), f.shown) for f in self if isinstance(f, TypedField) and f.shown.strip()]

    def problems(self) -> list[tuple[str, str]]:
        """(id of the field, message) in the form's order, for the summary."""
        return [(field.id, str(field.errors[0])) for field in self if field.errors]
