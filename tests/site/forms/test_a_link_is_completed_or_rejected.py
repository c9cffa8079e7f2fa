import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.site.forms.fields import link
from portal.site.forms.fields.refusal import FieldError, Refused


@pytest.mark.parametrize(
    ("typed", "uri"),
    [
        ("", None),
        ("  ", None),
        ("network.example/in/ada", "https://network.example/in/ada"),
        ("//network.example", "https://network.example"),
        ("http://network.example/in/ada", "http://network.example/in/ada"),
        ("HTTPS://Network.Example:8443/A?b=c#d", "https://network.example:8443/A?b=c#d"),
        ("network.example:8080/ada", "https://network.example:8080/ada"),
        ("https://müller.example/José?q=ä", "https://xn--mller-kva.example/Jos%C3%A9?q=%C3%A4"),
        ("network.example/100%", "https://network.example/100%25"),
        ("network.example/a%20b", "https://network.example/a%20b"),
    ],
)
def test_a_link_is_completed(typed: str, uri: str | None) -> None:
    assert link.parse(typed) == uri


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("javascript:alert(1)", FieldError.LINK_SCHEME),
        ("data:text/html,x", FieldError.LINK_SCHEME),
        ("mailto:ada@example.org", FieldError.LINK_SCHEME),
        ("ftp://network.example/", FieldError.LINK_SCHEME),
        ("https://ada:secret@network.example/", FieldError.LINK_LOGIN),
        ("https://good.example@evil.example/", FieldError.LINK_LOGIN),
        ("https:///ada", FieldError.LINK),
        ("ada", FieldError.LINK),
        ("my profile.example", FieldError.LINK),
        ("https://network.example\\@evil.example", FieldError.LINK),
        ("https://network..example", FieldError.LINK),
        ("https://network.example:99999/", FieldError.LINK),
        ("https://network.example/\x00", FieldError.INVISIBLE),
        ("https://network.example/" + "a" * 2025, FieldError.TOO_LONG),
        ("https://network.example/" + "é" * 1000, FieldError.TOO_LONG),
    ],
)
def test_an_invalid_link_is_rejected(typed: str, reason: FieldError) -> None:
    with pytest.raises(Refused) as caught:
        link.parse(typed)
    assert caught.value.reason is reason


def test_a_link_of_the_maximum_length_is_accepted() -> None:
    typed = "https://network.example/" + "a" * 2024
    assert link.parse(typed) == typed


@given(st.text(max_size=60).map(lambda rest: f"network.example/{rest}"))
def test_an_accepted_link_is_ascii_and_parsed_again_unchanged(typed: str) -> None:
    try:
        uri = link.parse(typed)
    except Refused:
        return
    assert uri is not None
    assert uri.isascii()
    assert uri.startswith("https://network.example/")
    assert link.parse(uri) == uri
