"""A feed is built once as a file for each content coding, and is never completely in memory."""

import gzip
import shutil
from pathlib import Path

import brotli
import pytest

from portal.delivery.uploads.disk_space import Disks, Space
from portal.gateway.compression import Coding
from portal.site.feeds.editions import Editions
from portal.site.feeds.streaming import folder_of
from tests.site.feeds.company import LONG, Company, vacancy
from tests.told_clock import ToldClock


@pytest.fixture
def editions(tmp_path: Path) -> Editions:
    return Editions(tmp_path / "feeds", ToldClock(), Disks({}, lambda _: Space(1, 1)))


def made(editions: Editions, number: int, text: str = "text") -> str:
    edition = editions.make("acme", "feed.atom", f"{number:032}", [text, str(number)], within=10)
    return edition.path.name


def test_each_content_coding_is_a_file_with_its_own_etag(sqlite_acme: Company):
    sqlite_acme.publish(vacancy("one", "One", LONG))
    bodies, tags = set(), set()
    for coding, opened in (("identity", bytes), ("gzip", gzip.decompress), ("br", brotli.decompress)):
        with (
            sqlite_acme.portal.browser(**{"Accept-Encoding": coding}) as browser,
            browser.stream("GET", "/acme/feed.atom") as answer,
        ):
            sent = b"".join(answer.iter_raw())
        assert answer.headers.get("Content-Encoding", "identity") == coding
        assert int(answer.headers["Content-Length"]) == len(sent)
        assert answer.headers["Vary"] == "Accept-Encoding"
        bodies.add(opened(sent))
        tags.add(answer.headers["ETag"])
    assert len(bodies) == 1
    assert len(tags) == 3
    assert not any(tag.startswith("W/") for tag in tags)


def test_a_coding_that_was_not_built_is_not_offered(sqlite_acme: Company):
    sqlite_acme.publish(vacancy("one", "One", LONG))
    assert "Content-Encoding" not in sqlite_acme.get("/acme/feed.atom", **{"Accept-Encoding": "zstd"}).headers
    assert sqlite_acme.get("/acme/feed.atom", **{"Accept-Encoding": "zstd, gzip"}).headers["Content-Encoding"] == "gzip"


def test_an_unchanged_feed_is_304(acme: Company):
    acme.publish(vacancy("one", "One", LONG))
    for name in ("two", "three"):
        tag = acme.get("/acme/feed.atom").headers["ETag"]
        again = acme.get("/acme/feed.atom", **{"If-None-Match": tag})
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
        acme.publish(vacancy(name, name, LONG))
        assert acme.get("/acme/feed.atom", **{"If-None-Match": tag}).status_code == 200


def test_head_returns_the_headers_of_get(sqlite_acme: Company):
    sqlite_acme.publish(vacancy("one", "One", LONG))
    with sqlite_acme.portal.browser() as browser:
        head, got = browser.head("/acme/indeed.xml"), browser.get("/acme/indeed.xml")
    assert head.content == b""
    assert head.headers.pop("X-Request-Id") != got.headers.pop("X-Request-Id")
    assert dict(head.headers) == dict(got.headers)


def test_any_page_may_read_a_feed_and_it_is_not_private(sqlite_acme: Company):
    sqlite_acme.publish(vacancy("one", "One", LONG))
    for path in ("/acme/feed.json", "/v1/boards/acme/jobs", "/v1/boards/acme/jobs/one", "/v0/postings/acme?limit=1"):
        headers = sqlite_acme.get(path).headers
        assert headers["Access-Control-Allow-Origin"] == "*"
        assert headers["Cross-Origin-Resource-Policy"] == "cross-origin"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Cache-Control"] == "public, max-age=0, must-revalidate"
        assert "Set-Cookie" not in headers


def test_a_replaced_feed_is_kept_for_a_minute_and_at_most_four(editions: Editions, tmp_path: Path):
    clock = editions._clock
    folder = tmp_path / "feeds/acme/feed.atom"

    def there() -> int:
        return sum(1 for path in folder.iterdir() if "-" in path.name and not path.suffix)

    for number, count in ((1, 1), (2, 2), (3, 3), (4, 4), (5, 4)):
        made(editions, number)
        assert there() == count
    clock.sleep(59.9)
    made(editions, 6)
    assert there() == 4
    clock.sleep(60)
    made(editions, 7)
    assert there() == 2, "the sixth has only now got a successor"
    assert len(list(folder.iterdir())) == 1 + 2 * 3, "with its codings, and the lock"


def test_the_newest_feed_is_the_one_built_last(editions: Editions):
    for number in (3, 1, 2):
        name = made(editions, number)
        last = editions.last("acme", "feed.atom")
        assert last is not None
        assert last.path.name == name


def test_a_feed_with_the_same_key_is_built_once(editions: Editions):
    assert made(editions, 1) == made(editions, 1, "other")


def test_a_deleted_folder_is_created_again(sqlite_acme: Company):
    sqlite_acme.publish(vacancy("one", "One", LONG))
    before = sqlite_acme.get("/acme/feed.atom")
    shutil.rmtree(sqlite_acme.folder)
    after = sqlite_acme.get("/acme/feed.atom")
    assert (after.status_code, after.content) == (200, before.content)
    again = sqlite_acme.get("/acme/feed.atom")
    assert again.headers["ETag"] == before.headers["ETag"], "the same jobs make the same bytes"


def test_files_of_a_killed_process_cause_no_error(editions: Editions, tmp_path: Path):
    made(editions, 1)
    folder = tmp_path / "feeds/acme/feed.atom"
    (folder / "draft").write_text("half")
    (folder / "draft.br").write_text("half")
    (folder / f"{9:012}-{'0' * 32}").write_text("half")
    made(editions, 2)
    edition = editions.last("acme", "feed.atom")
    assert edition is not None
    assert edition.path.read_text() == "text2"
    assert brotli.decompress(edition.files[Coding.BROTLI][0].read_bytes()) == b"text2"


def test_the_end_of_a_part_is_lost_in_no_coding(editions: Editions):
    pieces = ["ä" * size for size in (0, 1, 32_767, 32_768, 1, 200_000, 7)]
    edition = editions.make("acme", "feed.json", "0" * 32, pieces, within=10)
    plain = edition.path.read_bytes()
    assert plain.decode() == "".join(pieces)
    assert gzip.decompress(edition.files[Coding.GZIP][0].read_bytes()) == plain
    assert brotli.decompress(edition.files[Coding.BROTLI][0].read_bytes()) == plain


def test_without_an_sqlite_file_feeds_are_in_a_private_folder(acme: Company, tmp_path: Path, database_kind: str):
    parts = acme.portal.parts
    if database_kind == "sqlite":
        assert (
            folder_of(parts.database, tmp_path).parent
            == Path(parts.settings.database_url.removeprefix("sqlite:///")).parent
        )
        return
    own = folder_of(parts.database, tmp_path)
    assert own == folder_of(parts.database, tmp_path)
    assert own.parent.stat().st_mode & 0o777 == 0o700
    own.parent.chmod(0o777)
    assert own.parent not in folder_of(parts.database, tmp_path).parents
    own.parent.rename(tmp_path / "theirs")
    (tmp_path / "theirs").chmod(0o700)
    own.parent.symlink_to(tmp_path / "theirs")
    assert own.parent not in folder_of(parts.database, tmp_path).parents
