"""Static files are served one by one, by their names: a folder of them is no page."""

import pytest


@pytest.mark.parametrize("path", ["/static/", "/static/css", "/static/css/", "/static/./", "/static/css/.."])
def test_a_folder_is_not_found(site, path):
    answer = site.get(path)
    assert answer.status_code == 404
    assert "site.css" not in answer.text.partition("<body")[2]
    assert site.get("/static/css/site.css").status_code == 200
