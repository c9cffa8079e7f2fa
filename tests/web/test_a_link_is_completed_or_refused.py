import pytest
from hypothesis import given
from hypothesis import strategies as st

from portal.web.fields import link
from portal.web.fields.refusal import Reason, Refused


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
def test_a_link(typed: str, uri: str | None) -> None:
    assert link.parse(typed) == uri


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("javascript:alert(1)", Reason.LINK_SCHEME),
        ("data:text/html,x", Reason.LINK_SCHEME),
        ("mailto:ada@example.org", Reason.LINK_SCHEME),
        ("ftp://network.example/", Reason.LINK_SCHEME),
        ("https://ada:secret@network.example/", Reason.LINK_LOGIN),
        ("https://good.example@evil.example/", Reason.LINK_LOGIN),
        ("https:///ada", Reason.LINK),
        ("ada", Reason.LINK),
        ("my profile.example", Reason.LINK),
        ("https://network.example\\@evil.example", Reason.LINK),
        ("https://network..example", Reason.LINK),
        ("https://network.example:99999/", Reason.LINK),
        ("https://network.example/\x00", Reason.INVISIBLE),
        ("https://network.example/" + "a" * 2025, Reason.TOO_LONG),
        ("https://network.example/" + "é" * 1000, Reason.TOO_LONG),
    ],
)
def test_what_is_none(typed: str, reason: Reason) -> None:
    with pytest.raises(Refused) as caught:
        link.parse(typed)
    assert caught.value.reason is reason


def test_the_longest_that_fits() -> None:
    typed = "https://network.example/" + "a" * 2024
    assert link.parse(typed) == typed


@given(st.text(max_size=60).map(lambda rest: f"network.example/{rest}"))
def test_what_is_taken_is_ascii_and_taken_again_unchanged(typed: str) -> None:
    try:
        uri = link.parse(typed)
    except Refused:
        return
    assert uri is not None
    assert uri.isascii()
    assert uri.startswith("https://network.example/")
    assert link.parse(uri) == uri
