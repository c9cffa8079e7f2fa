"""The code is in the subject, as the only run of eight digits."""

import pytest

from portal.people.signin.deliver import alone_in_subject


@pytest.mark.parametrize(
    ("subject", "said"),
    [
        ("40718295 is your code for Acme", "40718295 is your code for Acme"),
        ("40718295 is your code for Bureau 12345678", "40718295 is your code for Bureau 1234 5678"),
        ("40718295 هو رمزك لدى ١٢٣٤٥٦٧٨", "40718295 هو رمزك لدى ١٢٣٤ ٥٦٧٨"),
    ],
)
def test_other_runs_of_digits_are_broken_up(subject: str, said: str):
    assert alone_in_subject(subject, "40718295") == said
