"""A cached page is dropped when the jobs, the time or the tenant file change."""

from datetime import timedelta

from tests.site.small_site import FILE, Site


def test_a_page_is_rendered_once(site):
    first, second = site.get("/acme/jobs/1"), site.get("/acme/jobs/1")
    assert site.made == ["1"]
    assert first.data == second.data
    assert first.headers.pop("X-Request-Id") != second.headers.pop("X-Request-Id")
    assert dict(first.headers) == dict(second.headers)
    assert int(second.headers["Content-Length"]) == len(second.data)


def test_an_unchanged_page_is_304(site):
    tag = site.get("/acme/jobs/1").headers["ETag"]
    for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        answer = site.get("/acme/jobs/1", If_None_Match=known)
        assert (answer.status_code, answer.data) == (304, b"")
        assert answer.headers["ETag"] == tag
        assert "Content-Type" not in answer.headers
        assert "Content-Security-Policy" in answer.headers
    assert site.get("/acme/jobs/1", If_None_Match='"other"').status_code == 200


def test_head_returns_the_headers_of_get(site):
    whole = site.get("/acme/jobs/1")
    answer = site.get("/acme/jobs/1", method="HEAD")
    assert answer.data == b""
    assert answer.headers["Content-Length"] == whole.headers["Content-Length"]


def test_a_change_of_jobs_invalidates_pages_within_a_fifth_of_a_second(site):
    site.get("/acme/jobs/1")
    site.version.tag = "2"
    site.clock.pass_time(0.21)
    site.get("/acme/jobs/1")
    assert site.made == ["1", "1"]


def test_a_job_that_closes_by_its_date_disappears_immediately(site):
    site.version.until = site.clock.now() + timedelta(seconds=0.05)
    site.get("/acme/jobs/1")
    site.version.tag, site.version.until = "2", None
    site.clock.pass_time(0.049)
    site.get("/acme/jobs/1")
    assert site.made == ["1"]
    site.clock.pass_time(0.002)
    site.get("/acme/jobs/1")
    assert site.made == ["1", "1"]


def test_a_change_of_the_tenant_file_invalidates_pages_immediately(site):
    site.get("/acme/jobs/1")
    site.tenant("acme", "Acme Robots")
    assert site.get("/acme/jobs/1").text.startswith("Acme Robots")


def test_a_change_of_the_tenant_file_counts_between_two_checks_for_changed_jobs(site):
    site.get("/acme/jobs/1")
    site.write("acme", FILE.format(name="Acme Robots", more=""))
    site.clock.pass_time(0.45)
    assert site.get("/acme/jobs/1").text.startswith("Acme Robotics")
    site.clock.pass_time(0.2)
    assert site.get("/acme/jobs/1").text.startswith("Acme Robots:")


def test_pages_of_another_company_stay_cached(site):
    site.tenant("globex", "Globex")
    site.get("/acme/jobs/1")
    assert site.get("/globex/jobs/1").text.startswith("Globex")
    assert site.get("/acme/jobs/1").text.startswith("Acme")
    assert site.made == ["1", "1"]


def test_a_page_rendered_from_old_jobs_is_not_cached_for_the_new_ones(site):
    def mirror_changes() -> None:
        site.meanwhile = lambda: None
        site.version.tag = "2"
        site.clock.pass_time(1)
        site.get("/acme/jobs/other")

    site.meanwhile = mirror_changes
    site.get("/acme/jobs/1")
    site.get("/acme/jobs/1")
    assert site.made == ["1", "other", "1"]


def test_a_page_that_is_already_stale_is_not_cached(tmp_path):
    site = Site(tmp_path, max_bytes=13_000)
    site.tenant("acme")

    def mirror_changes() -> None:
        site.meanwhile = lambda: None
        site.version.tag = "2"
        site.clock.pass_time(1)
        site.get("/acme/jobs/other")

    site.meanwhile = mirror_changes
    site.get("/acme/jobs/late")
    site.get("/acme/jobs/third")
    site.made.clear()
    site.get("/acme/jobs/other")
    assert site.made == []


def test_cached_pages_use_limited_memory(tmp_path):
    site = Site(tmp_path, max_bytes=19_000)
    site.tenant("acme")
    for number in range(10):
        site.get(f"/acme/jobs/{number}")
    site.made.clear()
    site.get("/acme/jobs/9")
    site.get("/acme/jobs/8")
    assert site.made == []
    site.get("/acme/jobs/0")
    assert site.made == ["0"]
