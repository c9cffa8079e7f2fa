"""Descriptions and matching words become HTML in one place, which escapes everything else."""

from portal.site.design.markup import description, highlighted, other_language


def test_matching_words_are_marked_and_the_rest_is_escaped():
    assert highlighted("a <b> & c", ((2, 5), (8, 9))) == "a <mark>&lt;b&gt;</mark> &amp; <mark>c</mark>"


def test_overlapping_or_invalid_ranges_cause_no_error():
    assert highlighted("abc", ((0, 2), (1, 3), (2, 99), (50, 60))) == "<mark>ab</mark><mark>c</mark>"
    assert highlighted("李小龙 😀", ((4, 5),)) == "李小龙 <mark>😀</mark>"


def test_headings_are_below_the_pages_own_and_keep_their_order():
    assert description("<h1>A</h1><h3>B</h3>", table_label="t") == "<h2>A</h2><h4>B</h4>"
    assert description("<h4>A</h4><h5>B</h5>", table_label="t") == "<h2>A</h2><h3>B</h3>"
    assert description("<h1>A</h1><h6>B</h6>", table_label="t") == "<h2>A</h2><h6>B</h6>"


def test_a_link_without_a_target_becomes_text():
    pasted = '<a rel="nofollow">here</a> <a href="https://a.example" rel="nofollow">there</a> <a>gone</a>'
    assert description(pasted, table_label="t") == 'here <a href="https://a.example" rel="nofollow">there</a> gone'


def test_a_table_scrolls_in_a_region_with_keyboard_access():
    made = description("<table><tbody></tbody></table>", table_label='a "table"')
    assert made.startswith('<div class="wide" role="region" tabindex="0" aria-label="a &#34;table&#34;"><table>')
    assert made.endswith("</table></div>")


def test_text_in_another_language_is_marked():
    assert other_language("de", "en") == ' lang="de" dir="ltr"'
    assert other_language("ar", "en") == ' lang="ar" dir="rtl"'
    assert other_language("en", "en-GB") == ""
    assert other_language('"><script>', "en") == ""
