"""A code is accepted with spaces or a dash, in full width, and in the digits of another script."""

import pytest

from portal.people.signin.codes import digits_in
from tests.builders import Portal
from tests.site.account.candidate import Visitor, code_in, mailbox


@pytest.mark.parametrize("typed", ["12345678", " 1234 5678 ", "1234-5678", "１２３４５６７８", "١٢٣٤٥٦٧٨"])
def test_these_spellings_are_accepted(typed: str):
    assert digits_in(typed) == "12345678"


@pytest.mark.parametrize("typed", ["", "abc", "²³", "\x00", "½"])
def test_other_text_is_rejected(typed: str):
    assert digits_in(typed) == ""


def test_a_code_typed_with_a_space_signs_in(acme: Portal, ada: Visitor):
    ada.ask()
    code = code_in(mailbox(acme)[-1])
    assert ada.enter(f"{code[:4]} {code[4:]}").status_code == 303
