"""A damaged feed is rebuilt, and a feed is renamed only once its bytes are on disk."""

import os
from pathlib import Path

import pytest

from portal.delivery.uploads.disk_space import Disks, Space
from portal.site.feeds.editions import Editions
from tests.site.feeds.company import LONG, Company, vacancy
from tests.told_clock import ToldClock


class Disk:
    """Records what is synced to disk, and the names in the folder at that time."""

    def __init__(self, shelf: Path) -> None:
        self.shelf = shelf
        self.calls: list[tuple[str, int, bool]] = []

    def sync(self, descriptor: int) -> None:
        name = Path(f"/proc/self/fd/{descriptor}").readlink().name
        is_named = any(path.name.startswith("0000") for path in self.shelf.iterdir())
        self.calls.append((name, os.fstat(descriptor).st_size, is_named))
        os.fsync(descriptor)


def test_every_byte_is_on_disk_before_the_file_is_renamed_and_the_name_after(tmp_path: Path):
    disk = Disk(tmp_path / "feeds" / "acme" / "feed.atom")
    editions = Editions(tmp_path / "feeds", ToldClock(), Disks({}, lambda _: Space(1, 1)), sync=disk.sync)
    made = editions.make("acme", "feed.atom", "0" * 32, ["a feed " * 50_000], within=60)
    *drafts, folder, named = disk.calls
    sizes = sorted(size for _, size in made.files.values())
    assert sorted(size for _, size, _ in drafts) == sizes
    assert not any(is_named for *_, is_named in [*drafts, folder])
    assert (folder[0], named[0], named[2]) == ("feed.atom", "feed.atom", True)


@pytest.mark.parametrize("coding", ["", ".br", ".gz"])
def test_a_truncated_file_is_ignored_and_replaced_by_the_next_build(tmp_path: Path, coding: str):
    editions = Editions(tmp_path / "feeds", clock := ToldClock(), Disks({}, lambda _: Space(1, 1)))
    pieces = ["a feed " * 50_000]
    made = editions.make("acme", "feed.atom", "0" * 32, pieces, within=60)
    assert editions.find("acme", "feed.atom", "0" * 32) == made
    cut(made.path.with_name(made.path.name + coding))
    assert editions.find("acme", "feed.atom", "0" * 32) is None
    assert editions.last("acme", "feed.atom") is None
    clock.pass_time(10 * 365 * 86_400)
    again = editions.make("acme", "feed.atom", "0" * 32, pieces, within=60)
    assert again.path.read_text() == pieces[0]
    assert {path.name for path in again.path.parent.iterdir() if path.name[0] == "0"} == {
        path.name for path, _ in again.files.values()
    }


def test_a_cached_feed_whose_file_was_truncated_is_sent_completely(acme: Company):
    acme.publish(vacancy("one", "One", LONG))
    whole = acme.get("/acme/feed.atom")
    assert whole.status_code == 200
    for path in (acme.folder / "acme" / "feed.atom").glob("0*"):
        cut(path)
    again = acme.get("/acme/feed.atom")
    assert again.status_code == 200
    assert again.text == whole.text


def cut(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)
