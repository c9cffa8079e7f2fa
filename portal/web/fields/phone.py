"""A phone number as a person types it, to E.164."""

import re
from itertools import chain

import phonenumbers
from phonenumbers import NumberParseException, PhoneNumber, ValidationResult

from portal.web.fields import text
from portal.web.fields.refusal import Reason, Refused

LONGEST = 50
"""As typed: fifteen digits leave room for spaces, brackets and a trunk prefix."""

_LENGTHS = {
    ValidationResult.IS_POSSIBLE: Reason.PHONE_SHORT,
    ValidationResult.TOO_SHORT: Reason.PHONE_SHORT,
    ValidationResult.IS_POSSIBLE_LOCAL_ONLY: Reason.PHONE_SHORT,
    ValidationResult.TOO_LONG: Reason.PHONE_LONG,
    ValidationResult.INVALID_COUNTRY_CODE: Reason.PHONE_COUNTRY,
}


def parse(typed: str, *, regions: tuple[str | None, ...] = ()) -> str:
    """E.164. regions: ISO 3166-1 alpha-2, tried in turn for a number without a country code. Raises Refused.

    A number of a possible length is taken even where it is in no numbering plan we know: plans change faster than
    releases, and turning a real number away costs more than letting a wrong one through.
    """
    number = text.required(typed, longest=LONGEST)
    usable = [region for region in regions if region in phonenumbers.SUPPORTED_REGIONS]
    if not usable:
        number = re.sub(r"^\s*00", "+", number)
    found = [_read(number, region) for region in usable] or [_read(number, None)]
    read = [one for one in found if isinstance(one, PhoneNumber)]
    if not read:
        raise Refused(next(one for one in found if isinstance(one, Reason)))
    known = (one for one in read if phonenumbers.is_valid_number(one))
    possible = (one for one in read if _possible(one))
    best = next(chain(known, possible), None)
    if best is None:
        raise Refused(_LENGTHS.get(phonenumbers.is_possible_number_with_reason(read[0]), Reason.PHONE))
    if any(char.isalpha() for char in number) and not best.extension:
        raise Refused(Reason.PHONE)  # an o typed for a 0 would be dropped, and somebody else be called
    if best.extension:
        raise Refused(Reason.PHONE_EXTENSION)  # E.164 has no place for it, and dropping it would reach the wrong person
    return phonenumbers.format_number(best, phonenumbers.PhoneNumberFormat.E164)


def _possible(number: PhoneNumber) -> bool:
    # Some plans allow two digits, for emergency lines; nobody is reached by fewer than seven with the country code.
    digits = f"{number.country_code}{phonenumbers.national_significant_number(number)}"
    return phonenumbers.is_possible_number_with_reason(number) == ValidationResult.IS_POSSIBLE and len(digits) >= 7


def _read(number: str, region: str | None) -> PhoneNumber | Reason:
    try:
        return phonenumbers.parse(number, region)
    except NumberParseException as exc:
        return {
            NumberParseException.INVALID_COUNTRY_CODE: Reason.PHONE_COUNTRY,
            NumberParseException.TOO_SHORT_NSN: Reason.PHONE_SHORT,
            NumberParseException.TOO_SHORT_AFTER_IDD: Reason.PHONE_SHORT,
            NumberParseException.TOO_LONG: Reason.PHONE_LONG,
        }.get(exc.error_type, Reason.PHONE)
