import pytest

from tests.site.apply.applicant import ADA, Applicant


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://evil.example"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Origin": "null", "Sec-Fetch-Site": "cross-site"},
    ],
    ids=str,
)
def test_a_cross_site_post_shows_the_form_without_sending_it(ada: Applicant, headers: dict[str, str]) -> None:
    page = ada.send(headers=headers)
    assert page.status == 403
    assert "another website" in page.notice
    assert page.typed == ADA
    assert "upload" not in page.hidden
    assert ada.receipt(headers={"Origin": "http://127.0.0.1:8000", "Sec-Fetch-Site": "same-origin"})
