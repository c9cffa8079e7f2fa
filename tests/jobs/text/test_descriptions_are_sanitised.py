import re
import time

import pytest

from portal.jobs.text.cleaning import Cleaner, clean, plain


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<p onclick=alert(1)>x</p>", "<iframe src=//x>",
        '<a href="javascript:alert(1)">x</a>', '<a href="data:text/html,x">x</a>', '<a href="//evil.example">x</a>',
        '<a href="/jobs">x</a>', "<style>p{}</style>", '<p style="color:red">x</p>', '<p class="a" id="b">x</p>',
        "<svg onload=alert(1)>", "<math><mi xlink:href=javascript:alert(1)>", "<form action=x><input name=y>",
        "<!-- x --><p>y</p>", "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>", "<base href=//x>",
        "<meta http-equiv=refresh>", "<template><script>x</script></template>", "<p\x00>x", "<object data=x>",
    ],
)  # fmt: skip
def test_nothing_hostile_remains(hostile: str):
    safe = clean(f"<p>before</p>{hostile}<p>after</p>")
    tags = set(re.findall(r"<\s*/?\s*([a-zA-Z0-9]+)", safe))
    assert tags <= {"p", "br", "a"}
    assert not re.search(r"(?i)javascript:|data:|onerror|onclick|onload|style=|class=|id=|//evil|href=\"/", safe)
    # Elements that browsers read as one long text, if they are never closed, remove the rest.
    assert "after" in safe or re.match("<(noscript|iframe|math)", hostile)


def test_links_keep_their_address_and_have_a_rel():
    safe = clean('<a href="https://acme.example/x" target=_blank>x</a> <a href="mailto:a@b.example">y</a>')
    assert safe == (
        '<a href="https://acme.example/x" rel="nofollow noopener noreferrer">x</a>'
        ' <a href="mailto:a@b.example" rel="nofollow noopener noreferrer">y</a>'
    )


def test_headings_begin_below_those_of_the_page():
    assert clean("<h1>a</h1><p>x</p><h2>b</h2><h5>c</h5>") == "<h3>a</h3><p>x</p><h4>b</h4><h4>c</h4>"
    assert clean("<h4>a</h4>") == "<h3>a</h3>"


def test_leftovers_of_word_processors_are_removed():
    word = (
        "<!--[if gte mso 9]><xml><w:WordDocument/></xml><![endif]-->"
        '<p class="MsoNormal" style="margin:0"><b>Your&nbsp;&nbsp; tasks</b><o:p></o:p></p>'
        '<p class="MsoNormal"><o:p>&nbsp;</o:p></p>'
        '<p class="MsoListParagraph">·<span style="font:7pt">&nbsp;&nbsp;&nbsp; </span>One</p>'
        '<p class="MsoListParagraph">·&nbsp;&nbsp; Two</p><p><br></p>'
    )
    assert clean(word) == "<p><b>Your tasks</b></p><ul><li>One</li><li>Two</li></ul>"


def test_lines_made_of_divs_stay_separate():
    assert clean("<div>One</div><div>Two</div><div><br></div><div>Three</div>") == "One<br><br>Two<br><br>Three"


def test_text_without_markup_keeps_its_paragraphs():
    assert clean("Pay & rest\nweekly\n\n3 < 4") == "<p>Pay &amp; rest<br>weekly</p><p>3 &lt; 4</p>"


def test_lists_and_tables_are_kept():
    kept = '<ul><li>a<ul><li>b</li></ul></li></ul><table><tbody><tr><td colspan="2">x</td></tr></tbody></table>'
    assert clean(kept) == kept


def test_an_empty_description_stays_empty():
    assert clean("") == clean("<p>&nbsp;</p><div><br></div>") == clean("   ") == ""


def test_plain_text_has_no_markup_and_single_spaces():
    assert plain(clean("<p>a &amp; b</p><ul><li>c</li><li><b>d</b>e</li></ul>x<br>y")) == "a & b c de x y"


@pytest.mark.parametrize(
    "endless", ["<div><p><b>", "&nbsp;<br>", "<ul><li>", "·<p>", "<b>", "<p>· x</p>", "<li typed>"]
)
def test_endless_markup_takes_limited_time(endless: str):
    cleaner = Cleaner(seconds=1)
    started = time.thread_time()
    assert len(cleaner.clean("<p>hello</p>" + endless * 90_000, whose="acme")) < 1_000_000
    assert time.thread_time() - started < 3
    cleaner.close()


def test_absurdly_nested_markup_keeps_its_text():
    assert clean("<ul><li>" * 101 + "Night nurse") == "<p>Night nurse</p>"
