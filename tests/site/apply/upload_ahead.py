"""A browser whose form uploads the CV first, with site, store and connections to both."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page

from portal.delivery.uploads.tables import uploads
from tests import builders
from tests.builders import Portal
from tests.parts.line import Line, line
from tests.parts.radosgw import RunningRadosgw
from tests.parts.wsgi import serving
from tests.site.apply.applicant import ADA
from tests.site.apply.conftest import vacancy

SEND = "Send application"
MOST = 10 * 1024 * 1024
HEAR = """() => {
  const status = document.querySelector("[data-cv-status]");
  const hear = new MutationObserver(() => window.heard(status.textContent));
  if (status) hear.observe(status, {childList: true});
}"""
FORM = "/acme/jobs/job-1/apply"


@dataclass
class Ahead:
    """A browser and its site. lines: to the portal, and to the bucket if there is one; cut and restored together."""

    portal: Portal
    browser: Browser
    lines: list[Line]
    posts: list[str] = field(default_factory=list)
    """Addresses that its browser posted to, with what it posted as far as that is no file."""
    said: list[str] = field(default_factory=list)
    """What a screen reader was told of the CV, in order."""

    @property
    def origin(self) -> str:
        return self.lines[0].origin

    @contextmanager
    def window(self, path: str = FORM, **how: Any) -> Iterator[Page]:
        """Open a form in a browser window."""
        context = self.browser.new_context(**{"viewport": {"width": 390, "height": 844}, "locale": "en-GB", **how})
        page = context.new_page()
        page.on("request", lambda one: self.posts.append(one.url) if one.method == "POST" else None)
        page.goto(self.origin + path)
        if how.get("java_script_enabled", True):
            self.listen(page)
        try:
            yield page
        finally:
            context.close()

    def listen(self, page: Page) -> None:
        page.expose_function("heard", lambda said: self.said.append(said))  # noqa: PLW0108  a mark is added to it
        page.evaluate(HEAR)

    def cut(self) -> None:
        for one in self.lines:
            one.cut()

    def mend(self) -> None:
        for one in self.lines:
            one.mend()

    def files(self) -> list[bytes]:
        """Return the file of every accepted application."""
        with self.portal.parts.database.read() as connection:
            keys = [row.key for row in connection.execute(uploads.select()) if row.claimed_by]
        found = []
        for key in keys:
            with self.portal.parts.store.open(key) as file:
                found.append(file.read())
        return found


@contextmanager
def ahead(folder: Path, browser: Browser, bucket: RunningRadosgw | None = None, **settings: Any) -> Iterator[Ahead]:
    """Run a site with a browser. bucket: None for a folder. settings: of the portal."""
    with ExitStack() as open_until_the_end:
        lines: list[Line] = []
        store: dict[str, Any] = {}
        if bucket:
            lines.append(open_until_the_end.enter_context(line(bucket.port)))
            let_browsers_in(bucket)
            store = {
                "attachments": f"s3://{bucket.bucket}",
                "s3_endpoint": bucket.endpoint,
                "s3_public": lines[0].origin,
            }
        made = builders.portal(folder / "portal", **{"max_cv_bytes": MOST, **store, **settings})
        open_until_the_end.callback(made.parts.database.close)
        made.add_tenant("acme", "Acme")
        made.service.load("acme", [vacancy("job-1", "Welder")])
        made.work.mirror_what_is_due()
        origin = open_until_the_end.enter_context(serving(made.app))
        lines.insert(0, open_until_the_end.enter_context(line(int(origin.rpartition(":")[2]))))
        yield Ahead(made, browser, lines)


def let_browsers_in(bucket: RunningRadosgw) -> None:
    """Allow uploads by browsers, as `portal storage init` does."""
    import boto3
    from botocore.config import Config

    client = boto3.Session().client(
        "s3",
        endpoint_url=bucket.endpoint,
        aws_access_key_id=bucket.access_key,
        aws_secret_access_key=bucket.secret_key,
        region_name="default",
        config=Config(s3={"addressing_style": "path"}, request_checksum_calculation="when_required"),
    )
    rule = {"AllowedMethods": ["POST"], "AllowedOrigins": ["*"], "AllowedHeaders": ["*"]}
    client.put_bucket_cors(Bucket=bucket.bucket, CORSConfiguration={"CORSRules": [rule]})
    client.close()


def fill(page: Page) -> None:
    """Fill in everything but the CV."""
    for name, typed in ADA.items():
        if name == "country":
            page.select_option("#country", typed)
        else:
            page.fill(f"#{name}", typed)


def slow_down(page: Page, bytes_a_second: int) -> None:
    """Slow down the browser's uploads."""
    session = page.context.new_cdp_session(page)
    session.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 40, "downloadThroughput": -1, "uploadThroughput": bytes_a_second},
    )


def has_sent(page: Page, share: float) -> None:
    """Wait until the progress bar appears."""
    page.wait_for_function("share => document.querySelector('.field-way progress').value >= share", arg=share)
