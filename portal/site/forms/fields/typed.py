"""Form fields whose text a parser turns into a value, and the base class of forms with them."""

from collections.abc import Collection

from flask_babel import LazyString, get_locale
from flask_wtf import FlaskForm
from wtforms import Form, StringField, ValidationError

from portal.contract import bounds
from portal.site.forms.fields import countries, email_address, link, phone, refusal, text
from portal.site.forms.fields.refusal import FieldError, Refused


class TypedForm(FlaskForm):
    """A form with the portal's own token (platform/crypto/signing.py): Flask-WTF's would need a session cookie."""

    class Meta:
        """Settings without Flask-WTF's token: no cookie is needed, so a form works inside another site's frame."""

        csrf = False

    def problems(self) -> list[tuple[str, str]]:
        """Return (id of the control, message) in the form's order, for the summary of errors."""
        return [(field.id, str(field.errors[0])) for field in self if field.errors]


class TypedField(StringField):
    """A line of text that a parser turns into `value`; `data` stays what was typed.

    missing: the message if it is required and empty. known_texts: texts that are accepted unparsed, because the service
    has them. from_cv: the text was read from the CV, and the candidate should check it. refusal: why it is rejected.
    WTForms' `description` is the hint that the page shows beside the field.

    Descriptions of a field of this class for programs: input_type is text, email, tel, url or country; json_format the
    JSON schema's `format`; shortest and longest are lengths of what is typed, in UTF-16 units; explanation is English.
    """

    input_type = "text"
    json_format = "line"
    shortest = 0
    longest = 200
    """The limit where §2.1 sets none: twice the length of the longest place name that exists."""
    explanation: str | None = None

    def __init__(
        self, label: LazyString, *, longest: int | None = None, missing: LazyString | str = "", **kwargs: object
    ) -> None:
        super().__init__(label, **kwargs)
        self.longest = longest or self.longest
        self.missing = missing
        self.known_texts: Collection[str | None] = ()
        self.value: str | None = None
        self.from_cv = False
        self.refusal: FieldError | None = None

    @property
    def optional(self) -> bool:
        """Whether the field may be empty."""
        return not self.missing

    def options(self) -> tuple[tuple[str, str], ...] | None:
        """Return (value, name in the page's language) of everything that may be chosen; None if it is free text."""
        return None

    @property
    def shown(self) -> str:
        """What was typed, for showing again."""
        return text.displayable(self.data or "")

    def pre_validate(self, form: Form) -> None:  # noqa: ARG002  a value depends only on its own field
        """Parse the text; WTForms collects the error message."""
        typed = self.data or ""
        try:
            self.value = typed if typed in self.known_texts else self.parse(typed)
        except Refused as why:
            if why.reason is not FieldError.MISSING or not self.optional:
                self.refusal = why.reason
                raise ValidationError(refusal.refused(why, missing=str(self.missing))) from why

    def parse(self, typed: str) -> str | None:
        """Return the value. Raises Refused; an empty text gives None or Refused as missing."""
        return text.required(typed, longest=self.longest)


class EmailField(TypedField):
    """An email address; its value is the normalised address."""

    input_type = json_format = "email"
    shortest, longest = bounds.EMAIL_MIN, bounds.EMAIL_MAX

    def parse(self, typed: str) -> str | None:
        """Return the value, as email_address.parse does."""
        return email_address.parse(typed)


class PhoneField(TypedField):
    """A phone number; its value is E.164.

    regions: ISO 3166-1 alpha-2, tried in turn for a number without a country code.
    """

    input_type, json_format = "tel", "phone"
    longest = phone.LONGEST
    explanation = "As people write it; with + and the country code where the company is elsewhere."
    regions: tuple[str | None, ...] = ()

    def parse(self, typed: str) -> str | None:
        """Return the value, as phone.parse does."""
        return phone.parse(typed, regions=self.regions)


class LinkField(TypedField):
    """A web address; its value is an absolute URI."""

    input_type, json_format = "url", "uri"
    shortest, longest = bounds.NETWORK_URL_MIN, bounds.NETWORK_URL_MAX

    def parse(self, typed: str) -> str | None:
        """Return the value, as link.parse does."""
        return link.parse(typed)


class CountryField(TypedField):
    """A country; its value is ISO 3166-1 alpha-2 or None."""

    input_type = json_format = "country"
    longest = 2
    explanation = "ISO 3166-1."

    def options(self) -> tuple[tuple[str, str], ...] | None:
        """Return the code and name of every country."""
        return countries.names(str(get_locale()))

    def parse(self, typed: str) -> str | None:
        """Return the value, as countries.parse does."""
        return countries.parse(typed)
