"""nginx accepts the sample, and its error pages have the portal's texts."""

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


def test_nginx_accepts_the_sample(tmp_path: Path):
    assert checked(tmp_path) == ""


def test_a_mistake_in_the_sample_is_detected(tmp_path: Path):
    assert "unknown directive" in checked(tmp_path, proxy_request_buffering="proxy_request_buffers")


def test_the_body_limit_is_that_of_the_portal():
    from portal.platform.config.settings import Settings
    from portal.site.forms.request_body import FORM_OVERHEAD

    most = Settings(secret_key="a secret for tests, 32 characters").max_cv_bytes + FORM_OVERHEAD
    assert f"client_max_body_size {most // 1_048_576}m;" in (SAMPLE / "portal.conf").read_text()
    assert most % 1_048_576 == 0


@pytest.mark.parametrize("name", proxy_pages.PAGES)
def test_error_pages_have_the_texts_of_the_portal(name: str):
    page = (SAMPLE / "pages" / f"{name}.html").read_text(encoding="utf-8")
    assert page == proxy_pages.page(name), "run tools/proxy_pages.py"
