"""200,000 characters of the worst kind are cleaned in half a second, and so are all that come of them."""

import time

import pytest

from portal.vacancies.bare_markup import TooInvolved, bare
from portal.vacancies.description import clean, flat, plain
from portal.vacancies.language import language_of
from portal.vacancies.words import plain_words_of, words_of

_MOST = 200_000
_SECONDS = 4
"""Half a second on a quiet core; eight times that for one that is not, and that counts its neighbours' cache."""

_ENDLESS = (
    """
<b>|<b><i>|<b><i></b></i>|<b><p></b>|<a>|<a href="http://x.example/">|<a href=http://x>y|<p><li>|<li>|<ul><li>
<ol>|<table>|<table>x|<table><br>|<table><tr><td>|<table><b>|<table><tr><b>x|<table><caption>|<table><p>x|<td>
<div>|<h1>|<h1>x<h2>y</h2>|<!--|<!-- x -->|<!---|<p a=b |<p a='|<p a=">" b|<p =|<dd>|<dt><dd>|<select><option>
<nobr><p>|<button><p>|<form><div></form>|<font>|<p>|<p>x|<p><b>x|<svg>|<svg><foreignObject>|<svg><path/>
<math><mi>|<template>|<ruby><rt>|&amp;|&notin;|&aaaaaaaa|&|<|< |>|</p>|</b>|<frameset>|<![CDATA[|<?|<b></p>
<applet><b>|<marquee>|<blockquote>|<br>|<br> |<br>x|</br>|&nbsp;|&nbsp;<br>|<pre>
<code><b><i><u><a><em><strong><small>|<title>|<textarea>|<script>|<iframe>|<noscript>|<x><div></x>|<b><p>x</b>
<a><p>|<a><div>|<b><div></b>|<b><i><u><em><div></b></i>|<hr>|<img>|<body>|<details><summary>|<p>· x</p>|·<p>
<p>·<br>|<p>·|<li typed>|<p></p>|<b><i><u></u></i></b>|<p> <br>|<ul><li></li></ul>|<div><table><tr><td></div>
<ul><li><p><b>x</b><br><br></p>|&#0;|&#x
""".replace("\n", "|")
    .strip("|")
    .split("|")
)
_HOSTILE = {
    **{piece: piece * (_MOST // len(piece)) for piece in _ENDLESS},
    "marks": "\u0315\u0300\u0327\u0338" * 50_000,
    "line ends": "\n \u2028" * 66_000,
    "breaks and line ends": "<br>  \n" * 28_000,
    "breaks before no end": "x<br>" * 39_000 + "y",
    "attributes": "<p " + " ".join(f"a{n}" for n in range(30_000)) + ">x",
    "attributes without spaces": "<p " + "/".join(f"a{n}='1'" for n in range(18_000)) + ">x",
    "formatting of many kinds": "".join(f"<b a={n}>" for n in range(6_000)) + "<p>x" * 30_000,
    "formatting left open": "<p><font><big><s><tt><b><i><u><em><strong><code>" * 3 + "</p>" + "<p>x" * 49_000,
    "misplaced in a table": "<table>" + "<br>x" * 39_000,
    "as deep as it may be": "<div>" * 199 + "<br>x" * 39_000,
    "paragraphs as deep": "<ul><li>" * 99 + "<p>x" * 49_000,
}


@pytest.mark.parametrize("kind", _HOSTILE)
def test_whatever_it_is_made_of(kind: str) -> None:
    began = time.thread_time()
    safe = clean(_HOSTILE[kind][:_MOST])
    text = plain(safe)
    words_of(text, "de")
    plain_words_of(text)
    language_of(text, "en")
    flat(_HOSTILE[kind])
    assert time.thread_time() - began < _SECONDS
    assert len(safe) <= 1_100_000


@pytest.mark.parametrize(
    "sound",
    [
        "<p>One<li>Two" * 2_000,
        "<dl><dt>One<dd>Two</dl>" * 2_000,
        "<table>" + "<tr><td>One<td>Two" * 2_000,
        "<p>One<br>Two<img src=x><hr>" * 2_000,
        "<div><p><b>One</b> <i>two</div>" * 500,
        "<option>One" * 2_000,
    ],
)
def test_only_what_is_really_nested_counts(sound: str) -> None:
    """Tags without content, and those that the next one ends, are not within each other."""
    assert bare(sound)


@pytest.mark.parametrize("nested", ["<div>", "<span>", "<ul><li>", "<b>", "<blockquote>"])
def test_two_hundred_within_each_other_are_the_most(nested: str) -> None:
    many = 200 // nested.count("<")
    assert bare(nested * many)
    with pytest.raises(TooInvolved):
        bare(nested * (many + 1))


def test_what_is_too_involved_keeps_its_text_and_nothing_else() -> None:
    assert clean("<div>" * 201 + "Night &amp; day<script>x</script>\n\n<img onerror=y> 3 < 4 &lt;b&gt;") == (
        "<p>Night &amp; day x</p><p>3 4 &lt;b&gt;</p>"
    )


def test_tags_keep_no_attributes_but_those_that_are_shown() -> None:
    written = (
        """<P CLASS="a>b" id=x><A title='>' HREF = 'https://x.example/?a="b"' href=y>x</A><td style=z colspan=2/>"""
    )
    assert bare(written) == """<P><A HREF = 'https://x.example/?a="b"'>x</A><td colspan=2/>"""


def test_what_is_no_markup_is_left_alone() -> None:
    for text in (
        "3 < 4",
        "<!-- <p class=x> -->",
        "<script>'<p class=x>'</script>",
        "<?xml a='b'?>",
        "a & b",
        "<title><p a=b></title>",
    ):
        assert bare(text) == text
