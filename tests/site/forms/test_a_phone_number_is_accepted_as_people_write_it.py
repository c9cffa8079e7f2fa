import pytest

from portal.site.forms.fields import phone
from portal.site.forms.fields.refusal import FieldError, Refused


@pytest.mark.parametrize(
    ("typed", "regions", "e164"),
    [
        ("+49 30 1234567", (), "+49301234567"),
        ("0049 (30) 123-4567", (), "+49301234567"),
        ("030 / 1234567", ("DE",), "+49301234567"),
        ("٠٣٠١٢٣٤٥٦٧", ("DE",), "+49301234567"),
        ("+１ 202 555 0100", (), "+12025550100"),
        ("(202) 555-0100", ("US",), "+12025550100"),
        ("011 44 20 7946 0958", ("US",), "+442079460958"),
        ("+44 20 7946 0958", ("DE",), "+442079460958"),
        ("020 7946 0958", ("", "GB"), "+442079460958"),
        ("06 12 34 56 78", ("FR", "DE"), "+33612345678"),
        ("06 12 34 56 78", ("US", "FR"), "+33612345678"),
        ("+6834000", (), "+6834000"),
    ],
)
def test_a_phone_number_is_normalised(typed: str, regions: tuple[str, ...], e164: str) -> None:
    assert phone.parse(typed, regions=regions) == e164


@pytest.mark.parametrize(
    ("typed", "regions", "reason"),
    [
        ("", (), FieldError.MISSING),
        ("030 1234567", (), FieldError.PHONE_COUNTRY),
        ("+999 12345678", (), FieldError.PHONE_COUNTRY),
        ("+49", (), FieldError.PHONE),
        ("+49 30", (), FieldError.PHONE_SHORT),
        ("12", ("DE",), FieldError.PHONE_SHORT),
        ("555 0100", ("US",), FieldError.PHONE_SHORT),
        ("+1 202 555 0100 99", (), FieldError.PHONE_LONG),
        ("call me", ("DE",), FieldError.PHONE),
        ("90182o", ("DE",), FieldError.PHONE),
        ("+49 30 12345o7", (), FieldError.PHONE),
        ("1 800 FLOWERS", ("US",), FieldError.PHONE),
        ("+49 30 1234567 mobil", (), FieldError.PHONE),
        ("+49 30 1234567 ext. 5", (), FieldError.PHONE_EXTENSION),
        ("1" * 51, ("DE",), FieldError.TOO_LONG),
        ("+49 30 12345\u202e67", (), FieldError.INVISIBLE),
    ],
)
def test_an_invalid_number_is_rejected_with_the_reason(
    typed: str, regions: tuple[str, ...], reason: FieldError
) -> None:
    with pytest.raises(Refused) as caught:
        phone.parse(typed, regions=regions)
    assert caught.value.reason is reason
