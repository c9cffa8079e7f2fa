"""Pages for search engines have one address for each language and a good title; others are excluded."""

import pytest

from portal.site.design.snippet import cut, page_title
from tests.site.browse.jobs import vacancy
from tests.site.feeds.markup import Page
from tests.site.feeds.scene import found_site

JOBS = [
    vacancy("w1", "Welder", "<p>Weld steel all day. " + "And then more. " * 40 + "</p>"),
    vacancy("w2", "Cook", city="Wien", country="AT", type="partTime"),
]


@pytest.fixture
def site(careers):
    careers.publish(*JOBS)
    return careers


def base(careers):
    return careers.portal.parts.settings.base_url


def test_each_language_of_a_page_is_an_address_that_names_the_others(site):
    for path in ("/acme/", "/acme/?city=Berlin"):
        german = f"{path}{'&' if '?' in path else '?'}lang=de"
        for asked in (path, german):
            page = Page(site.get(asked).text)
            assert page.canonical == [f"{base(site)}{asked}"]
            assert {one["hreflang"]: one["href"] for one in page.links("alternate") if "hreflang" in one} == {
                "en": f"{base(site)}{path}",
                "de": f"{base(site)}{german}",
                "x-default": f"{base(site)}{path}",
            }


def test_a_company_with_its_own_host_is_indexed_there(tmp_path):
    careers = found_site(tmp_path, site='hosts = ["careers.acme.example"]')
    careers.publish(*JOBS)
    for answer in (careers.get("/acme/embed/jobs/w1"), careers.get("/jobs/w1", Host="careers.acme.example")):
        assert Page(answer.text).canonical == ["http://careers.acme.example:8000/jobs/w1"]


@pytest.mark.parametrize(
    ("query", "canonical"),
    [
        ("", ""),
        ("?city=Berlin", "?city=Berlin"),
        ("?city=berlin", "?city=Berlin"),
        ("?employmentType=fullTime&city=Berlin", "?city=Berlin&employmentType=fullTime"),
        ("?city=Nowhere", ""),
        ("?sort=date", ""),
        ("?utm_source=x", ""),
    ],
)
def test_a_list_with_up_to_two_filters_is_indexed(site, query, canonical):
    page = Page(site.get(f"/acme/{query}").text)
    assert page.named("robots") == ["max-image-preview:large"]
    assert page.canonical == [f"{base(site)}/acme/{canonical}"]


@pytest.mark.parametrize(
    "query",
    [
        "?q=welder",
        "?near=Berlin",
        "?city=Berlin&employmentType=fullTime&locationType=onsite",
        "?city=Berlin&city=Wien&employmentType=fullTime",
        "?city=Berlin&country=AT",
        "?city=Berlin&q=welder",
    ],
)
def test_a_list_with_more_filters_or_no_results_is_not_indexed(site, query):
    page = Page(site.get(f"/acme/{query}").text)
    assert page.named("robots") == ["noindex, follow"]
    assert page.canonical == []
    assert page.links("alternate") == []


def test_later_pages_of_a_list_are_not_indexed(site):
    site.publish(*[vacancy(f"x{n}", f"Welder {n}") for n in range(25)])
    following = next(iter(site.get("/acme/").text.split('rel="next" href="')[1:])).split('"')[0]
    assert Page(site.get(following.replace("&amp;", "&")).text).named("robots") == ["noindex, follow"]


def test_a_closed_job_is_not_indexed(site):
    site.publish(vacancy("w1", "Welder", stage="Filled"))
    assert Page(site.get("/acme/jobs/w1").text).named("robots") == ["noindex"]


def test_forms_and_data_are_not_indexed(site):
    assert site.get("/acme/jobs/w1/apply").headers["X-Robots-Tag"] == "noindex"
    assert site.get("/acme/profile").headers["X-Robots-Tag"] == "noindex"
    assert site.get("/acme/sitemap.xml").headers["X-Robots-Tag"] == "noindex"
    for path in ("/acme/", "/acme/jobs/w1"):
        assert "X-Robots-Tag" not in site.get(path).headers


@pytest.mark.parametrize(("host", "before"), [(None, "/*"), ("careers.acme.example", "")])
def test_each_host_has_its_own_robots_txt(tmp_path, host, before):
    careers = found_site(tmp_path, site='hosts = ["careers.acme.example"]')
    answer = careers.get("/robots.txt", **({"Host": host} if host else {}))
    assert answer.headers["Content-Type"].startswith("text/plain")
    origin = f"http://{host}:8000" if host else base(careers)
    assert answer.text.splitlines() == [
        "User-agent: *",
        f"Disallow: {before}/jobs/*/apply",
        f"Disallow: {before}/applications/",
        f"Disallow: {before}/profile",
        "",
        f"Sitemap: {origin}/sitemap.xml",
    ]


def test_titles_and_descriptions_are_informative(site):
    job = Page(site.get("/acme/jobs/w1").text)
    assert job.title == "Welder – Acme Robotics"
    [said] = job.named("description")
    assert said.startswith("Welder at Acme Robotics, Berlin, Germany. Weld steel all day.")
    assert said.endswith("…")
    assert 120 < len(said) <= 155
    narrowed = Page(site.get("/acme/?city=Berlin&employmentType=fullTime").text)
    assert narrowed.title == "Full-time and Berlin: jobs at Acme Robotics"
    assert narrowed.named("description") == ["Full-time and Berlin: Robots that are good company"]


@pytest.mark.parametrize(
    ("subject", "title"),
    [
        ("x" * 43, "x" * 43 + " – Acme Robotics"),
        ("x " * 22, ("x " * 22).strip() + " – Acme Robotics"),
        ("Welder " * 7, ("Welder " * 7).strip()),
        ("Welder " * 9, ("Welder " * 8).strip() + "…"),
        ("x" * 60, "x" * 60),
        ("x" * 61, "x" * 59 + "…"),
    ],
)
def test_a_title_is_cut_between_words_at_sixty_characters(subject, title):
    assert page_title(subject.strip(), "Acme Robotics") == title
    assert len(title) <= 60


@pytest.mark.parametrize("most", [10, 11, 12, 13, 155])
def test_shortened_text_is_never_longer_than_its_limit(most):
    for text in ("word " * 40, "w" * 200, "a, b; c – d " * 20, " ", ""):
        assert len(cut(text, most)) <= most


def test_the_list_contains_the_verification_tags_of_search_engines(tmp_path):
    careers = found_site(tmp_path, site='verification = ["google=abc", "bing=DEF"]')
    careers.publish(*JOBS)
    page = Page(careers.get("/acme/").text)
    assert (page.named("google-site-verification"), page.named("msvalidate.01")) == (["abc"], ["DEF"])
    assert Page(careers.get("/acme/jobs/w1").text).named("google-site-verification") == []
