import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from flask import Flask
from playwright.sync_api import Browser, expect
from werkzeug.serving import BaseWSGIServer, make_server

from tests.builders import Portal
from tests.site.apply.applicant import ADA, CV

pytestmark = pytest.mark.browser


@pytest.fixture
def serve() -> Iterator[Callable[[Flask], int]]:
    running: list[tuple[BaseWSGIServer, threading.Thread]] = []

    def start(app: Flask) -> int:
        server = make_server("127.0.0.1", 0, app, threaded=True)
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        running.append((server, thread))
        return server.server_port

    yield start
    for server, thread in running:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_visitor_applies_inside_the_companys_page_with_cookies_blocked(
    acme: Portal, chromium: Browser, serve: Callable[[Flask], int], tmp_path: Path
) -> None:
    portal = serve(acme.app)
    company = Flask("company")
    company.add_url_rule("/", view_func=lambda: f'<iframe src="http://127.0.0.1:{portal}/acme/jobs/job-1/apply">')
    site = f"http://a.localhost:{serve(company)}"
    acme.write_tenant(
        "acme",
        "Acme",
        f'[publish]\nstages = ["Open"]\n[apply]\nphone_region = "DE"\n[embed]\norigins = ["{site}"]',
    )
    acme.parts.clock.sleep(1)
    cv = tmp_path / CV[0]
    cv.write_bytes(CV[1])
    context = chromium.new_context()
    page = context.new_page()
    page.goto(site)
    frame = page.frame_locator("iframe")
    for name, typed in ADA.items():
        if name != "country":
            frame.locator(f"#{name}").fill(typed)
    frame.locator("#cv").set_input_files(cv)
    frame.get_by_role("button", name="Send application").click()
    expect(frame.locator(".receipt")).to_contain_text(re.compile("Received|Sent"))
    assert context.cookies() == []
    context.close()
