"""A wrong tenant file is named with its line and what was expected; a secret is never repeated."""

import pytest

from portal.errors import SettingsError
from portal.tenants.toml import parse

RIGHT = """name = "Acme"
[tracker]
base_url = "https://tracker.example"
api_key = "env:KEY"
[site]
accent = "#0b5fff"
locales = ["en", "de"]
"""


def read(text: str) -> str:
    with pytest.raises(SettingsError) as caught:
        parse("acme", text, read_secret=lambda _reference: "k")
    return str(caught.value)


def test_a_right_file_is_a_tenant():
    tenant = parse("acme", RIGHT, read_secret=lambda _reference: "k")
    assert (tenant.name, tenant.tracker.slug, tenant.tracker.api_key) == ("Acme", "acme", "k")
    assert tenant.publish.stages == frozenset()
    assert "'k'" not in repr(tenant)


@pytest.mark.parametrize(
    ("wrong", "line", "expected"),
    [
        (RIGHT.replace("#0b5fff", "blue"), "line 6: site.accent", "a colour such as"),
        (RIGHT.replace("https://tracker", "ftp://tracker"), "line 3: tracker.base_url", "starts with https://"),
        (RIGHT.replace('"de"]', '"xx-nonsense"]'), "line 7: site.locales", "a language such as"),
        (RIGHT + "colour = 1\n", "line 8: site.colour", "no such setting"),
        (RIGHT.replace('name = "Acme"\n', ""), "name", "Field required"),
        (RIGHT.replace("[site]", "[site"), "line 5", "not TOML"),
        (RIGHT + '[embed]\norigins = ["https://a.example/path"]\n', "line 9: embed.origins", "an origin such as"),
        (RIGHT + '[mail]\nfrom = "nobody"\n', "line 9: mail.from", "an address such as"),
        (RIGHT + '[apply]\nphone_region = "XX"\n', "line 9: apply.phone_region", "a country such as"),
        (RIGHT + '[apply]\nbots = "refuse"\n', "line 9: apply.bots", "'count', 'review' or 'proof'"),
        (RIGHT + "[publish]\nstages = 7\n", "line 9: publish.stages", "list"),
    ],
)
def test_a_wrong_value_is_named_with_its_line_and_what_was_expected(wrong: str, line: str, expected: str):
    message = read(wrong)
    assert message.startswith(line)
    assert expected in message


def test_a_literal_key_is_refused_and_not_repeated():
    from portal.settings import read_secret

    with pytest.raises(SettingsError) as caught:
        parse("acme", RIGHT.replace("env:KEY", "hunter2-the-key"), read_secret=read_secret)
    assert "line 4: tracker.api_key" in str(caught.value)
    assert "literal" in str(caught.value)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("word", ["count", "review", "proof"])
def test_what_is_done_about_programs_is_one_of_three_words(word: str):
    tenant = parse("acme", f'{RIGHT}[apply]\nbots = "{word}"\n', read_secret=lambda _reference: "k")
    assert tenant.apply.bots == word
    assert parse("acme", RIGHT, read_secret=lambda _reference: "k").apply.bots == "count"
