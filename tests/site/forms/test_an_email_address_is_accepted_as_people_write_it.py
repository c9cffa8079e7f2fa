import pytest

from portal.site.forms.fields import email_address
from portal.site.forms.fields.refusal import FieldError, Refused

LOCAL = "a" * 64
LABEL = "b" * 63


@pytest.mark.parametrize(
    ("typed", "sent"),
    [
        (" ada@example.org ", "ada@example.org"),
        ("Ada.Lovelace+jobs@EXAMPLE.org", "Ada.Lovelace+jobs@example.org"),
        ("jose\u0301@example.org", "josé@example.org"),
        ("李@例子.中国", "李@例子.中国"),
        ("ada@xn--exmple-cua.org", "ada@exämple.org"),
        ("o'brien@acme.example", "o'brien@acme.example"),
        (f"{'a' * 64}@b.example", f"{'a' * 64}@b.example"),
        (f"{'é' * 32}@b.example", f"{'é' * 32}@b.example"),
        (f"{LOCAL}@{LABEL}.{LABEL}.{'c' * 57}.org", f"{LOCAL}@{LABEL}.{LABEL}.{'c' * 57}.org"),
    ],
)
def test_an_address_is_normalised(typed: str, sent: str) -> None:
    assert email_address.parse(typed) == sent


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("", FieldError.MISSING),
        ("ada", FieldError.EMAIL),
        ("ada@", FieldError.EMAIL),
        ("ada@localhost", FieldError.EMAIL),
        ("ada@example..org", FieldError.EMAIL),
        ("Ada <ada@example.org>", FieldError.EMAIL),
        ("ada@example.org, bob@example.org", FieldError.EMAIL),
        ("ada@[127.0.0.1]", FieldError.EMAIL),
        (f"{'a' * 65}@b.example", FieldError.EMAIL),
        (f"{'é' * 32}a@b.example", FieldError.EMAIL),
        ("=?utf-8?q?v=40x.example=0a=0aPay?=@y.example", FieldError.EMAIL),
        ("x=?utf-8?b?eA0K?=@y.example", FieldError.EMAIL),
        ("ada@example.org\r\nBcc: eve@example.org", FieldError.INVISIBLE),
        (f"{LOCAL}@{LABEL}.{LABEL}.{'c' * 58}.org", FieldError.TOO_LONG),
    ],
)
def test_an_invalid_address_is_rejected(typed: str, reason: FieldError) -> None:
    with pytest.raises(Refused) as caught:
        email_address.parse(typed)
    assert caught.value.reason is reason
