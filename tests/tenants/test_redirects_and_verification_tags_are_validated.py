"""Redirects of a former site and tags of search engines are checked when the tenant file is read."""

import pytest

from portal.platform.errors import SettingsError
from portal.tenants.toml import parse

FILE = 'name = "Acme"\n[tracker]\nbase_url = "https://tracker.example"\napi_key = "env:KEY"\n[site]\n'


def site(text: str):
    return parse("acme", FILE + text, read_secret=lambda _: "k").site


def problem(text: str) -> str:
    with pytest.raises(SettingsError) as caught:
        site(text)
    return str(caught.value)


def test_former_paths_are_read_as_browsers_send_them():
    read = site('[site.redirects]\n"/old/b%C3%BCro/" = "job-1"\n"/x.php?id=%41" = "/"\n')
    assert read.redirects == {"/old/büro": "job-1", "/x.php?id=%41": "/"}


def test_tags_have_the_names_that_search_engines_expect():
    read = site('verification = ["google=a-b_1", "bing=ABC", "yandex=0f"]')
    assert read.verification == (
        ("google-site-verification", "a-b_1"), ("msvalidate.01", "ABC"), ("yandex-verification", "0f"),
    )  # fmt: skip


@pytest.mark.parametrize(
    "path", ["old", "/", "/?p=1", "//evil.example", "https://a.example/x", "/a b", "/#x", "/" * 301]
)
def test_a_path_that_browsers_cannot_request_is_rejected(path: str):
    assert "a path of the former site" in problem(f'[site.redirects]\n"{path}" = "job-1"\n')


@pytest.mark.parametrize("target", ["", "https://evil.example", "//x", "/jobs/1", "x" * 101])
def test_an_external_target_is_rejected(target: str):
    message = problem(f'[site.redirects]\n"/old" = "{target}"\n')
    assert message.startswith("line 7: site.redirects./old: expected a posting's id")


def test_more_than_500_redirects_are_rejected():
    lines = "".join(f'"/old/{n}" = "job-{n}"\n' for n in range(501))
    assert "at most 500" in problem(f"[site.redirects]\n{lines}")


@pytest.mark.parametrize(
    "tag", ["baidu=1", "google", "google=", "google=<script>", 'google=\\"', "google=" + "x" * 201]
)
def test_other_tags_are_rejected(tag: str):
    message = problem(f'verification = ["{tag}"]')
    assert message.startswith("line 6: site.verification:")
    assert "google, bing, yandex" in message
