"""A phone number as typed → E.164."""

import re
from itertools import chain

import phonenumbers
from phonenumbers import NumberParseException, PhoneNumber, ValidationResult

from portal.site.forms.fields import text
from portal.site.forms.fields.refusal import FieldError, Refused

LONGEST = 50
"""Characters as typed: fifteen digits, with space for separators, brackets and a trunk prefix."""

_LENGTHS = {
    ValidationResult.IS_POSSIBLE: FieldError.PHONE_SHORT,
    ValidationResult.TOO_SHORT: FieldError.PHONE_SHORT,
    ValidationResult.IS_POSSIBLE_LOCAL_ONLY: FieldError.PHONE_SHORT,
    ValidationResult.TOO_LONG: FieldError.PHONE_LONG,
    ValidationResult.INVALID_COUNTRY_CODE: FieldError.PHONE_COUNTRY,
}


def parse(typed: str, *, regions: tuple[str | None, ...] = ()) -> str:
    """Return the number as E.164. Raises Refused.

    regions: ISO 3166-1 alpha-2, tried in turn for a number without a country code. A number of a possible length is
    accepted even if it is in no numbering plan of the library: plans change faster than releases, and rejecting a real
    number costs more than accepting a wrong one.
    """
    number = text.required(typed, longest=LONGEST)
    usable = [region for region in regions if region in phonenumbers.SUPPORTED_REGIONS]
    if not usable:
        number = re.sub(r"^\s*00", "+", number)
    found = [_read(number, region) for region in usable] or [_read(number, None)]
    read = [one for one in found if isinstance(one, PhoneNumber)]
    if not read:
        raise Refused(next(one for one in found if isinstance(one, FieldError)))
    known = (one for one in read if phonenumbers.is_valid_number(one))
    possible = (one for one in read if _possible(one))
    best = next(chain(known, possible), None)
    if best is None:
        raise Refused(_LENGTHS.get(phonenumbers.is_possible_number_with_reason(read[0]), FieldError.PHONE))
    if any(char.isalpha() for char in number) and not best.extension:
        raise Refused(FieldError.PHONE)  # the library would drop an "o" typed for a 0: a wrong number
    if best.extension:
        raise Refused(
            FieldError.PHONE_EXTENSION
        )  # E.164 cannot contain an extension, and without it the number is another person's
    return phonenumbers.format_number(best, phonenumbers.PhoneNumberFormat.E164)


def _possible(number: PhoneNumber) -> bool:
    # Some plans allow two digits, for emergency numbers; numbers of people have at least seven with the country code.
    digits = f"{number.country_code}{phonenumbers.national_significant_number(number)}"
    return phonenumbers.is_possible_number_with_reason(number) == ValidationResult.IS_POSSIBLE and len(digits) >= 7


def _read(number: str, region: str | None) -> PhoneNumber | FieldError:
    try:
        return phonenumbers.parse(number, region)
    except NumberParseException as exc:
        return {
            NumberParseException.INVALID_COUNTRY_CODE: FieldError.PHONE_COUNTRY,
            NumberParseException.TOO_SHORT_NSN: FieldError.PHONE_SHORT,
            NumberParseException.TOO_SHORT_AFTER_IDD: FieldError.PHONE_SHORT,
            NumberParseException.TOO_LONG: FieldError.PHONE_LONG,
        }.get(exc.error_type, FieldError.PHONE)
