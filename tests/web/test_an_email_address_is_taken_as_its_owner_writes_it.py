import pytest

from portal.web.fields import email_address
from portal.web.fields.refusal import Reason, Refused

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
def test_an_address(typed: str, sent: str) -> None:
    assert email_address.parse(typed) == sent


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("", Reason.MISSING),
        ("ada", Reason.EMAIL),
        ("ada@", Reason.EMAIL),
        ("ada@localhost", Reason.EMAIL),
        ("ada@example..org", Reason.EMAIL),
        ("Ada <ada@example.org>", Reason.EMAIL),
        ("ada@example.org, bob@example.org", Reason.EMAIL),
        ("ada@[127.0.0.1]", Reason.EMAIL),
        (f"{'a' * 65}@b.example", Reason.EMAIL),
        (f"{'é' * 32}a@b.example", Reason.EMAIL),
        ("=?utf-8?q?v=40x.example=0a=0aPay?=@y.example", Reason.EMAIL),
        ("x=?utf-8?b?eA0K?=@y.example", Reason.EMAIL),
        ("ada@example.org\r\nBcc: eve@example.org", Reason.INVISIBLE),
        (f"{LOCAL}@{LABEL}.{LABEL}.{'c' * 58}.org", Reason.TOO_LONG),
    ],
)
def test_what_is_none(typed: str, reason: Reason) -> None:
    with pytest.raises(Refused) as caught:
        email_address.parse(typed)
    assert caught.value.reason is reason
