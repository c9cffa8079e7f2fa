"""In an Arabic page, an address in Latin letters has Latin commas, and Arabic words have Arabic ones."""

import pytest
from babel import Locale

from portal.site.words.locale import beside_each_other


@pytest.mark.parametrize(
    ("parts", "arabic", "german"),
    [
        (["Marienstraße 5", "10117"], "Marienstraße 5, 10117", "Marienstraße 5, 10117"),
        (["برلين", "ألمانيا"], "برلين، ألمانيا", "برلين، ألمانيا"),
        (["Halle", "Sachsen-Anhalt", "ألمانيا"], "Halle, Sachsen-Anhalt، ألمانيا", "Halle, Sachsen-Anhalt, ألمانيا"),
        (["1", "2"], "1، 2", "1, 2"),
        (["Python"], "Python", "Python"),
        ([], "", ""),
    ],
)
def test_commas_follow_the_script_of_their_text(parts: list[str], arabic: str, german: str):
    assert beside_each_other(parts, Locale("ar")) == arabic
    assert beside_each_other(parts, Locale("de")) == german
