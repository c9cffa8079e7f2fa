"""A description that is opened in the editor and saved again keeps its text, headings, lists and formatting."""

import random

import pytest

from portal.tracker.hiring.job_text import html_of, markdown_of

WORDS = (
    "weld",
    "1.",
    "12)",
    "-",
    "+",
    "#",
    "##",
    "&gt;",
    "=",
    "~~~",
    "a*b",
    "_c_",
    "`d`",
    "[e]",
    "f:",
    "20",
    "&amp;",
    "\\",
)
"""Text that Markdown takes for signs, at the start of a line or anywhere."""
LINK = '<a href="https://ships.example/a_(b)" rel="nofollow noopener noreferrer">{}</a>'
SEEDS = range(300)


def inline(chance: random.Random, plain: int = 4) -> str:
    """Return words, some bold, italic or linked, with line breaks."""
    said = " ".join(chance.choices(WORDS, k=chance.randint(1, plain)))
    parts = [said, *(chance.choice(("<strong>x {}</strong>", "<em>x {}</em>", LINK)).format(said) for _ in range(2))]
    chance.shuffle(parts)
    return chance.choice((" ", "<br>\n")).join(parts[: chance.randint(1, 3)])


def entries(chance: random.Random, depth: int = 0) -> str:
    """Return a list with nested lists; long ones have two-digit numbers."""
    name, number = chance.choice(("ul", "ol")), chance.choice((1, 2, 11))
    inner = [f"\n{entries(chance, depth + 1)}\n" if depth < 2 and chance.random() < 0.3 else "" for _ in range(number)]
    return f"<{name}>\n" + "".join(f"<li>{inline(chance)}{one}</li>\n" for one in inner) + f"</{name}>"


def apart(chance: random.Random) -> str:
    """Return a list with blank lines between entries, the first of which has two paragraphs."""
    paragraphs = [f"<p>{inline(chance)}</p>" for _ in range(3)]
    return f"<ul>\n<li>\n{paragraphs[0]}\n{paragraphs[1]}\n</li>\n<li>\n{paragraphs[2]}\n</li>\n</ul>"


def page(chance: random.Random) -> str:
    makers = (
        lambda: f"<h3>{' '.join(chance.choices(WORDS, k=3))}</h3>",
        lambda: f"<p>{inline(chance)}</p>",
        lambda: entries(chance),
        lambda: apart(chance),
    )
    # A paragraph after each, because Markdown joins adjacent lists.
    return "\n".join(f"{chance.choice(makers)()}\n<p>and {inline(chance)}</p>" for _ in range(3))


@pytest.mark.parametrize("start", SEEDS[::100])
def test_any_markdown_is_unchanged_after_editing(start: int):
    for seed in range(start, start + 100):
        written = page(random.Random(seed))  # noqa: S311  test data, not secrets
        assert html_of(markdown_of(written)) == written, seed


@pytest.mark.parametrize(
    ("pasted", "shown"),
    [
        ("<ul><li>1. weld</li><li>- cut</li><li># of ships</li><li>+ more</li></ul>", None),
        ("<h3># 1 in ships</h3>", None),
        ("<h3>We write C #</h3>", None),
        ("<p><b>Tasks: </b>weld</p>", "<p><strong>Tasks:</strong> weld</p>"),
        ("<p>You<b> weld</b></p>", "<p>You <strong>weld</strong></p>"),
        ("<p><b>Tasks:<br></b>weld</p>", "<p><strong>Tasks:</strong><br>\nweld</p>"),
        ("<p><b>Tasks:</b>weld</p>", "<p><strong>Tasks</strong>:weld</p>"),
        ("<p>weld<b>(er)</b>s</p>", "<p>weld(<strong>er</strong>)s</p>"),
        ("<p><b>We</b><b>ld</b></p>", "<p><strong>Weld</strong></p>"),
        ("<p>&#1;one&#2;</p>", "<p>one</p>"),
        ("<b><p>one</p><p>two</p></b>", "<p>one</p><p>two</p>"),
    ],
)
def test_pasted_text_shows_no_markdown_characters(pasted: str, shown: str | None):
    again = html_of(markdown_of(pasted))
    assert again.replace("\n", "") == (shown or pasted).replace("\n", "")
