"""Fields whose text one parser turns into a value, and the form they stand in: shared by every form that has them."""

from collections.abc import Collection

from flask_babel import LazyString
from flask_wtf import FlaskForm
from wtforms import Form, StringField, ValidationError

from portal.web.fields import email_address, link, phone, text, words
from portal.web.fields.refusal import Reason, Refused

_LONGEST = 200
"""Where §2.1 bounds nothing: room for the longest place name there is, twice over."""


class TypedForm(FlaskForm):
    """A form whose token is our own (portal/signing.py): Flask-WTF's would need a session cookie."""

    class Meta:
        """No cookie is needed, so that a form works inside another site's frame."""

        csrf = False

    def problems(self) -> list[tuple[str, str]]:
        """(id of the control, message) in the form's order, for the summary."""
        return [(field.id, str(field.errors[0])) for field in self if field.errors]


class TypedField(StringField):
    """A line of text that one parser turns into `value`; `data` stays what was typed.

    longest: in characters, where the parser has no bound of its own. missing: what to say when it is required and
    empty. kept: texts that are taken as they are, because the service has them so.
    from_cv: what stands there was read from the CV, and its person should look at it.
    """

    def __init__(
        self, label: LazyString, *, longest: int = _LONGEST, missing: LazyString | str = "", **kwargs: object
    ) -> None:
        super().__init__(label, **kwargs)
        self.longest = longest
        self.missing = missing
        self.kept: Collection[str | None] = ()
        self.value: str | None = None
        self.from_cv = False

    @property
    def optional(self) -> bool:
        """Whether it may be left empty."""
        return not self.missing

    @property
    def shown(self) -> str:
        """What was typed, for showing again."""
        return text.displayable(self.data or "")

    def pre_validate(self, form: Form) -> None:  # noqa: ARG002  a value depends on nothing but its own field
        """Parse; WTForms collects the message."""
        typed = self.data or ""
        try:
            self.value = typed if typed in self.kept else self.parse(typed)
        except Refused as why:
            if why.reason is not Reason.MISSING or not self.optional:
                raise ValidationError(words.refused(why, missing=str(self.missing))) from why

    def parse(self, typed: str) -> str | None:
        """The value; None, or Refused as missing, where nothing was given. Raises Refused."""
        return text.required(typed, longest=self.longest)


class EmailField(TypedField):
    """Its value is the normalised address."""

    def parse(self, typed: str) -> str | None:
        """By email_address."""
        return email_address.parse(typed)


class PhoneField(TypedField):
    """Its value is E.164. regions: ISO 3166-1 alpha-2, tried in turn for a number without a country code."""

    regions: tuple[str | None, ...] = ()

    def parse(self, typed: str) -> str | None:
        """By phone."""
        return phone.parse(typed, regions=self.regions)


class LinkField(TypedField):
    """Its value is an absolute URI."""

    def parse(self, typed: str) -> str | None:
        """By link."""
        return link.parse(typed)
