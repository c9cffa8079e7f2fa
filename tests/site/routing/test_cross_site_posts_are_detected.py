import pytest

from portal.site.routing.origin import is_elsewhere, own_origins

OWN = {"https://careers.example"}


@pytest.mark.parametrize(
    ("site", "origin", "elsewhere"),
    [
        ("same-origin", "https://careers.example", False),
        ("same-origin", None, False),
        ("none", None, False),
        (None, "https://careers.example", False),
        (None, None, False),  # a client that is no browser
        ("same-origin", "null", False),  # a privacy tool hides the origin, but the browser reports the site
        ("cross-site", "https://evil.example", True),
        ("cross-site", "null", True),
        ("cross-site", None, True),
        ("same-site", "https://blog.careers.example", True),
        (None, "https://evil.example", True),
        (None, "null", True),
        (None, "https://careers.example.evil.example", True),
    ],
)
def test_cross_site_posts_are_detected_by_the_browsers_headers(
    site: str | None, origin: str | None, elsewhere: bool
) -> None:
    assert is_elsewhere(sec_fetch_site=site, origin=origin, own=OWN) is elsewhere


def test_plain_http_is_same_origin_only_if_the_portal_is_served_by_it() -> None:
    secure = own_origins(base_url="https://portal.example", host="careers.acme.example")
    assert secure == {"https://portal.example", "https://careers.acme.example"}
    assert "http://127.0.0.1:8000" in own_origins(base_url="http://127.0.0.1:8000", host="127.0.0.1:8000")
