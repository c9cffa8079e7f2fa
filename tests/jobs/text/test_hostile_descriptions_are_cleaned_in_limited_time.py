"""Descriptions of the worst kind take little time: short ones here, long ones in a process with a CPU limit."""

import time

import pytest

from portal.jobs.search.words import plain_words_of, words_of
from portal.jobs.text.cleaning import AT_ONCE, Cleaner, clean, flat, plain
from portal.jobs.text.language import language_of

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
def test_a_short_hostile_description_takes_little_time(kind: str) -> None:
    began = time.thread_time()
    safe = clean(_HOSTILE[kind][:AT_ONCE])
    text = plain(safe)
    words_of(text, "de")
    plain_words_of(text)
    language_of(text, "en")
    flat(_HOSTILE[kind])
    assert time.thread_time() - began < _SECONDS
    assert len(safe) <= 1_100_000


@pytest.mark.parametrize("kind", ["<ul><li>", "<table><br>", "formatting left open", "attributes", "<div>"])
def test_a_long_one_is_cleaned_or_reduced_to_its_text_in_limited_time(kind: str) -> None:
    cleaner = Cleaner(seconds=0.5)
    began = time.thread_time()
    safe = cleaner.clean(_HOSTILE[kind][:_MOST] + "Night", whose="acme")
    assert time.thread_time() - began < _SECONDS
    assert len(safe) <= 1_100_000
    cleaner.close()


def test_markup_that_grows_beyond_limits_is_reduced_to_its_text() -> None:
    grows = "<p><font><big><s><tt><b><i><u><em><strong><code>" * 3 + "</p>" + "<p>x" * 5_000
    assert clean(grows) == flat(grows)
    assert set(clean(grows)) <= set("<p/>x ")
