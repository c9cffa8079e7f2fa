from pathlib import Path

from portal.gateway.compression import coded_once
from tests.builders import portal


def test_the_first_visitor_does_not_wait_for_compression(tmp_path: Path):
    coded_once.cache_clear()
    browser = portal(tmp_path).browser()
    made = coded_once.cache_info().misses
    assert made
    for path in ("css/site.css", "js/apply.js"):
        for coding in ("br", "gzip", "zstd"):
            answer = browser.get(f"/static/{path}", headers={"Accept-Encoding": coding})
            assert answer.headers["Content-Encoding"] == coding
    assert coded_once.cache_info().misses == made
