"""Suggestions for a form from a CV: text of an untrusted file, which must pass the rules of the fields it is for."""

from collections.abc import Callable
from dataclasses import dataclass, field, fields

import phonenumbers
from phonenumbers import PhoneNumber, PhoneNumberFormat

from portal.adapters.cv_reader.result import CvDetails
from portal.contract import bounds
from portal.site.forms.fields import email_address, link, phone, text
from portal.site.forms.fields.refusal import Refused


@dataclass(frozen=True, slots=True)
class CvSuggestions:
    """Suggestions for the application form; None where there is none. phone_number: in international format."""

    first_name: str | None = field(default=None, repr=False)
    last_name: str | None = field(default=None, repr=False)
    email: str | None = field(default=None, repr=False)
    phone_number: str | None = field(default=None, repr=False)
    network_url: str | None = field(default=None, repr=False)

    def by_field(self) -> dict[str, str]:
        """Return member → value of the suggestions that there are."""
        return {each.name: value for each in fields(self) if (value := getattr(self, each.name))}


def suggest(details: CvDetails, region: str | None) -> CvSuggestions:
    """Return those details of a CV that the form's own fields accept.

    region: ISO 3166-1 alpha-2, for numbers without a country code.
    """
    number = _number(details.phones, region)
    first = _taken(details.given_name, lambda typed: text.required(typed, longest=bounds.NAME_MAX))
    last = _taken(details.family_name, lambda typed: text.required(typed, longest=bounds.NAME_MAX))
    shown = phonenumbers.format_number(number, PhoneNumberFormat.INTERNATIONAL) if number else None
    return CvSuggestions(
        first_name=first if last else None,
        last_name=last if first else None,
        email=_taken(details.email, email_address.parse),
        phone_number=shown,
        network_url=_taken(details.profile_url, link.parse),
    )


def _taken(typed: str | None, parse: Callable[[str], str | None]) -> str | None:
    try:
        return parse(typed) if typed else None
    except Refused:
        return None


def _number(written: tuple[str, ...], region: str | None) -> PhoneNumber | None:
    """Return the first number that is valid in some country; a merely possible one is not suggested."""
    for each in written[:4]:
        written_so = each.replace("(0)", " ") if each.startswith(("+", "00")) else each
        e164 = _taken(written_so, lambda typed: phone.parse(typed, regions=(region,)))
        if e164 and phonenumbers.is_valid_number(number := phonenumbers.parse(e164)):
            return number
    return None
