"""Every feed is valid, for any text of recruiters and for the demo."""

import httpx
import pytest

from tests.parts.demo import RunningDemo
from tests.site.feeds.company import LONG, Company, vacancy
from tests.site.feeds.rules import CHECKS, ENTITY

NASTY = (
    'Cut ]]> here & there <b>"quoted"</b>',
    "R&D &amp; &lt;script&gt; &copy;",
    "名前 🤖 𝒳 e\u0301\u0301\u0301 \u202eabc\u202c",
    "tab\tend \x0b\x0c line",
)


def difficult() -> list[str]:
    about = "".join(f"<p>{text} &#12; &#x1F; &#xFFFE; a &lt; b &lt;c&gt; &amp;copy; &amp;amp;</p>" for text in NASTY)
    return [
        vacancy(f"n{number}", title, about + LONG, way=way, city=title[:20], country=country)
        for number, (title, way, country) in enumerate(
            zip(NASTY, ("onsite", "remote", "hybrid", None), ("DE", "Narnia ]]>", "US", None), strict=True)
        )
    ]


@pytest.mark.parametrize("path", CHECKS)
def test_feeds_are_valid_with_any_text(acme: Company, path: str):
    pay = {"currency": "EUR", "min": 50_000, "max": 60_000.5}
    plain = vacancy("plain", "A", LONG, salary=pay, end="2026-09-01T00:00:00Z")
    acme.publish(*difficult(), plain, vacancy("bare", "Bare", ""))
    everyone = 6 if path != "/{slug}/linkedin.xml" else 5
    assert CHECKS[path](acme.get(path.format(slug="acme"))) == everyone


@pytest.mark.parametrize("path", CHECKS)
def test_feeds_without_jobs_are_valid(sqlite_acme: Company, path: str):
    sqlite_acme.mirror()
    assert CHECKS[path](sqlite_acme.get(path.format(slug="acme"))) == 0


def test_text_is_unchanged_after_decoding(sqlite_acme: Company):
    sqlite_acme.publish(vacancy("v", "V", "<p>a &lt; b, R&amp;D, &lt;x&gt; and &amp;copy;</p>"))
    answer = sqlite_acme.get("/acme/indeed.xml")
    assert not ENTITY.search(answer.content)
    assert "<p>a < b, R&D, < x> and & copy;</p>" in answer.text


@pytest.mark.xdist_group("demo")
@pytest.mark.parametrize("path", CHECKS)
@pytest.mark.parametrize("slug", ["acme", "globex"])
def test_feeds_of_the_demo_are_valid(demo: RunningDemo, slug: str, path: str):
    with httpx.Client(base_url=demo.portal, trust_env=False, timeout=30) as client:
        assert CHECKS[path](client.get(path.format(slug=slug))) > 10
