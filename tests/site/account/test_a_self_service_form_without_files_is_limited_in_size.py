"""A file posted to a form without a file field is rejected before it is stored."""

import pytest

from tests.site.account.candidate import Visitor
from tests.site.apply.applicant import Page


@pytest.mark.parametrize("path", ["/profile", "/profile/code", "/profile/record", "/profile/erase"])
def test_a_large_body_is_rejected_with_a_page(ada: Visitor, path: str):
    ada.sign_in()
    answer = ada.client.post(ada.at(path), files={"email": ("x.bin", b"x" * 1_000_000)})
    assert Page(answer).status == 413
