"""nginx has nothing to object to in the sample, and the words that it shows are the portal's own."""

from pathlib import Path

import pytest

from tests.deploy.behind_nginx import ORIGIN, SAMPLE
from tests.parts.nginx import certificate, objections, substituted, written
from tools import proxy_pages

pytestmark = pytest.mark.verify

ROOT = Path(__file__).parents[2]


def checked(home: Path, **changes: str) -> str:
    certificate(home, ORIGIN.removeprefix("https://"))
    paths = {"/etc/ssl/portal/": f"{home}/", "/var/log/nginx/": f"{home}/", **changes}
    written(home, substituted((SAMPLE / "portal.conf").read_text(), paths))
    return objections(home)


def test_the_sample_is_valid(tmp_path: Path):
    assert checked(tmp_path) == ""


def test_a_mistake_in_it_would_be_seen(tmp_path: Path):
    assert "unknown directive" in checked(tmp_path, proxy_request_buffering="proxy_request_buffers")


def test_a_body_may_be_as_large_as_the_portal_takes():
    from portal.platform.config.settings import Settings
    from portal.site.forms.request_body import FORM_OVERHEAD

    most = Settings(secret_key="a secret for tests, 32 characters").max_cv_bytes + FORM_OVERHEAD
    assert f"client_max_body_size {most // 1_048_576}m;" in (SAMPLE / "portal.conf").read_text()
    assert most % 1_048_576 == 0


@pytest.mark.parametrize("name", proxy_pages.PAGES)
def test_its_pages_say_what_the_portals_do(name: str):
    page = (SAMPLE / "pages" / f"{name}.html").read_text(encoding="utf-8")
    assert page == proxy_pages.page(name), "run tools/proxy_pages.py"
