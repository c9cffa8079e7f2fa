"""Errors in a tenant file are reported with line and expected value; secrets are never repeated."""

import re
from pathlib import Path

import pytest

from portal.platform.errors import SettingsError
from portal.tenants.toml import every_name, parse

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


def test_a_valid_file_is_read():
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
        (RIGHT.replace('name = "Acme"\n', ""), "line 1: name", "it is missing: name = "),
        (RIGHT.replace("[site]", "[site"), "line 5", "not TOML"),
        (RIGHT + '[embed]\norigins = ["https://a.example/path"]\n', "line 9: embed.origins", "an origin such as"),
        (RIGHT + '[mail]\nfrom = "nobody"\n', "line 9: mail.from", "an address such as"),
        (RIGHT + '[apply]\nphone_region = "XX"\n', "line 9: apply.phone_region", "a country such as"),
        (RIGHT + '[apply]\nbots = "refuse"\n', "line 9: apply.bots", "'count', 'review' or 'proof'"),
        (RIGHT + 'analytics = "http://stats.example/a.js"\n', "line 8: site.analytics", "starts with https://"),
        (RIGHT + 'analytics = "https://stats.example"\n', "line 8: site.analytics", "the address of a script"),
        (RIGHT + 'analytics = "https://stats.example/a.js#b"\n', "line 8: site.analytics", "the address of a script"),
        (RIGHT + 'analytics = "https://stats.example;x/a.js"\n', "line 8: site.analytics", "a host name"),
        (RIGHT + 'analytics = "https://*.example/a.js"\n', "line 8: site.analytics", "a host name"),
        (RIGHT + 'analytics = "https://user@stats.example/a.js"\n', "line 8: site.analytics", "starts with https://"),
        (
            RIGHT + f'analytics = "https://stats.example/{"a" * 2_000}"\n',
            "line 8: site.analytics",
            "starts with https://",
        ),
        (RIGHT + 'analytics = ["https://stats.example/a.js"]\n', "line 8: site.analytics", "text"),
        (RIGHT + "[publish]\nstages = 7\n", "line 9: publish.stages", "list"),
        (RIGHT + "[retention]\ndead_submissions = 29\n", "line 9: retention.dead_submissions", "expected 30 or more"),
        (RIGHT + "[retention]\njobs = 3651\n", "line 9: retention.jobs", "expected 3650 or less"),
        (RIGHT + '[retention]\nreceipts = "90"\n', "line 9: retention.receipts", "a whole number"),
        (RIGHT + "[retention]\nreceipt = 90\n", "line 9: retention.receipt", "is receipts meant"),
    ],
)
def test_an_invalid_value_is_reported_with_its_line_and_the_expected_one(wrong: str, line: str, expected: str):
    message = read(wrong)
    assert message.startswith(line)
    assert expected in message


def test_a_literal_key_is_rejected_and_not_repeated():
    from portal.platform.config.settings import read_secret

    with pytest.raises(SettingsError) as caught:
        parse("acme", RIGHT.replace("env:KEY", "hunter2-the-key"), read_secret=read_secret)
    assert "line 4: tracker.api_key" in str(caught.value)
    assert "literal" in str(caught.value)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize("word", ["count", "review", "proof"])
def test_the_bot_setting_has_three_values(word: str):
    tenant = parse("acme", f'{RIGHT}[apply]\nbots = "{word}"\n', read_secret=lambda _reference: "k")
    assert tenant.apply.bots == word
    assert parse("acme", RIGHT, read_secret=lambda _reference: "k").apply.bots == "count"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (RIGHT + 'accnt = "#000000"\n', "line 8: site.accnt: no such setting; is accent meant?"),
        (RIGHT + "[aply]\nbots = 1\n", "line 8: aply: no such setting; is apply meant?"),
        (RIGHT + "[push]\nyahoo = 1\n", "line 9: push.yahoo: no such setting; expected one of google, index_now"),
        (RIGHT + '[mail]\nform = "a@b.example"\n', "line 9: mail.form: no such setting; is from meant?"),
        (RIGHT + '[site.text.de]\ntaglin = "x"\n', "line 9: site.text.de.taglin: no such setting; is tagline meant?"),
    ],
)
def test_a_misspelt_setting_suggests_a_similar_one(wrong: str, said: str):
    assert read(wrong) == said


def test_all_errors_of_a_file_and_its_key_are_reported_together():
    def no_key(_reference: str) -> str:
        raise SettingsError("the secret file keys/acme cannot be read")

    wrong = RIGHT.replace("#0b5fff", "blue") + 'fnt = "serif"\n[apply]\nbots = "refuse"\n[mail]\noperator = "nobody"\n'
    with pytest.raises(SettingsError) as caught:
        parse("acme", wrong, read_secret=no_key)
    said = str(caught.value).split("; line ")
    assert [one.removeprefix("line ").partition(":")[0] for one in said] == ["4", "6", "8", "10", "12"]


def test_twenty_errors_are_reported_and_the_rest_counted():
    names = "\n".join(f"nothing_{number} = 1" for number in range(20))
    assert "and 1 more" not in read(f"{RIGHT}{names}\n")
    assert read(f"{RIGHT}{names}\nnothing_20 = 1\n").endswith("; and 1 more")


def test_the_second_of_several_entries_is_reported_with_its_own_line():
    reasons = '[[site.why]]\ntitle = "A"\ntext = "B"\n[[site.why]]\ntitle = "C"\ntext = 7\n'
    assert read(RIGHT + reasons).startswith("line 13: site.why.text: ")


def test_every_setting_of_a_tenant_file_is_in_the_operators_manual():
    manual = (Path(__file__).parents[2] / "docs" / "operating" / "configure.md").read_text(encoding="utf-8")
    table = manual.partition("\n## Tenant file\n")[2].partition("\n## ")[0]
    described = [
        name
        for name in every_name()
        if f"`{name}`" in table or (f"`{name.rpartition('.')[0]}`" in table and f"`{name.rpartition('.')[2]}`" in table)
    ]
    assert len(every_name()) > 35
    assert described == every_name()
    named = re.findall(r"(?m)^\| ((?:`[a-z_.]+`(?:, )?)+) \|", table)
    assert len(named) > 30
    for name in re.findall(r"`([a-z_.]+)`", "".join(named)):
        assert any(one == name or one.startswith(f"{name}.") for one in every_name()), name


def test_messages_contain_no_library_text_and_are_ordered_by_line():
    """One of each kind of error in a value."""
    wrong = read(
        """publish = 3
[tracker]
api_key = 7
base_url = "ftp://x"
[site]
radius = 99
radii = 1
locales = []
links = [["a"], ["b", "https://b.example", "c"]]
tagline = ""
font = "comic"
why = [{title = "x"}]
[site.text]
de = 5
[profile]
stages = []
[apply]
answer_within_days = 0
read_cv = 3
bots = "refuse"
"""
    )
    said = wrong.split("; line ")
    lines = [int(re.findall(r"\d+", one)[0]) for one in said]
    assert lines == sorted(lines)
    assert set(lines) == {1, 3, 4, 6, 7, 8, 9, 10, 11, 12, 14, 16, 18, 19, 20}
    for theirs in ("Input", "Field required", "should", "Value", "String", "Tuple", "instance", "something else"):
        assert theirs not in wrong
    assert "line 1: name: it is missing" in wrong
    assert "line 11: site.font: expected 'system', 'humanist'" in wrong
    assert "line 12: site.why.text: it is missing in this section" in wrong


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("x = ", "line 8: not TOML: behind = stands text in quotes, a number, true, false or a list"),
        ('x = "a', "line 8: not TOML: the quote that ends the text is missing"),
        ("x", "line 8: not TOML: expected NAME = VALUE, or a [section]"),
        ("locales = []", "line 8: not TOML: the same name stands there twice: keep one"),
        ("[tracker]", "line 8: not TOML: the same name stands there twice: keep one"),
        ("x = [1", "at its end: not TOML: the ] that ends the list is missing"),
        ("[x", "line 8: not TOML: the ] that ends the section's name is missing"),
        ('x = "a" b', "line 8: not TOML: there is more behind the value: one setting a line, text in quotes"),
    ],
)
def test_invalid_toml_is_reported_in_the_portals_own_words(text: str, says: str):
    assert read(f"{RIGHT}{text}\n") == says
