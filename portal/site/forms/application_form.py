"""The application form: the fields of §4.8, and consent if the tenant requires it. Where a candidate came from."""

from collections.abc import Mapping

from flask_babel import LazyString, lazy_gettext
from werkzeug.datastructures import MultiDict
from wtforms import BooleanField, FileField
from wtforms.fields.core import UnboundField
from wtforms.meta import DefaultMeta
from wtforms.validators import DataRequired

from portal.contract import bounds
from portal.contract.bodies import LocationBody
from portal.delivery.applications.payload import ApplicationPayload, title_of
from portal.site.forms.fields import text
from portal.site.forms.fields.refusal import Refused
from portal.site.forms.fields.typed import CountryField, EmailField, LinkField, PhoneField, TypedField, TypedForm
from portal.tenants.model import Tenant

IN_LOCATION = frozenset(field.alias for field in LocationBody.model_fields.values())
"""Names of form fields that are inside `location` in the JSON body."""


def pointer_of(name: str) -> str:
    """Return the JSON pointer to the member of the JSON body that is the field of this name."""
    return bounds.pointer(*(["location"] if name in IN_LOCATION else []), name)


class ApplicationForm(TypedForm):
    """The application form. Fields have the contract's names. The file is checked when it is stored, not here.

    No part of the location is required: §4.8 requires the object and none of its members, and candidates should not
    have to state where they live before a company has spoken with them.
    """

    cv = FileField(lazy_gettext("CV file"), name="cv")
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
        missing=lazy_gettext("Enter your last name."),
        description=lazy_gettext("If you have only one name, enter it in both fields."),
    )
    email = EmailField(
        lazy_gettext(title_of("email")),
        name="email",
        missing=lazy_gettext("Enter your email address."),
        description=lazy_gettext("Your receipt will be sent to this address."),
    )
    phone_number = PhoneField(
        lazy_gettext(title_of("phone_number")), name="phoneNumber", missing=lazy_gettext("Enter your phone number.")
    )
    network_url = LinkField(
        lazy_gettext(title_of("network_url")),
        name="networkUrl",
        description=lazy_gettext("A page that shows your work, if you have one."),
    )
    city = TypedField(lazy_gettext(title_of("city")), name="city")
    region = TypedField(lazy_gettext(title_of("region")), name="region")
    postal_code = TypedField(lazy_gettext(title_of("postal_code")), name="postalCode", longest=20)
    country = CountryField(lazy_gettext(title_of("country")), name="country")
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
        self.phone_number.description = _phone_hint(tenant)
        if not tenant.apply.consent:
            del self.consent

    def payload(self) -> ApplicationPayload:
        """Return the parsed values, after validate(). Every member of the model has a field of its name."""
        return ApplicationPayload(**{name: self[name].value for name in ApplicationPayload.model_fields})

    def typed(self) -> list[tuple[str, str]]:
        """Return (label, text) of what was typed, for a page that can only show it."""
        return [(str(f.label.text), f.shown) for f in self if isinstance(f, TypedField) and f.shown.strip()]

    @classmethod
    def typed_fields(cls) -> dict[str, TypedField]:
        """Return member → its field without a value, in the form's order; needs no request.

        The body of the JSON API and the list of fields for front ends are made of them.
        """
        found = {name: each for name in dir(cls) if isinstance(each := getattr(cls, name), UnboundField)}
        ordered = sorted(found.items(), key=lambda item: item[1].creation_counter)
        return {
            name: each.bind(None, each.name or name, _meta=DefaultMeta())
            for name, each in ordered
            if issubclass(each.field_class, TypedField)
        }


def _phone_hint(tenant: Tenant) -> LazyString:
    if tenant.apply.phone_region:
        return lazy_gettext("For a number from another country, start with + and the country code.")
    return lazy_gettext("Start with + and the country code, like +49 30 1234567.")


SOURCE_PARAMETERS = ("utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "gh_src", "ref", "source")
"""Query parameters of links from job boards and campaigns."""
_LONGEST_SOURCE = 200
"""Characters of each value."""


def sources_of(given: Mapping[str, str]) -> dict[str, str]:
    """Return the source parameters of a query or a form."""
    found = {name: _clean(given[name]) for name in SOURCE_PARAMETERS if name in given}
    return {name: value for name, value in found.items() if value}


def _clean(value: str) -> str:
    try:
        return text.single_line(value, longest=_LONGEST_SOURCE)
    except Refused:
        return ""
