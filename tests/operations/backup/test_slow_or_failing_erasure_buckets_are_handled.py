"""A bucket of erasures that is slow, unreadable or very full delays nobody and is reported."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest

from portal.cli import check_installation
from portal.delivery.privacy_requests import tombstones
from portal.delivery.privacy_requests.tables import tombstones as rows
from portal.delivery.privacy_requests.tombstones import Tombstone
from portal.platform.errors import StoreUnavailable
from portal.services import Services
from tests.parts.misbehaving import Behaviour, Misbehaving, answer, drip, misbehaving
from tests.site.account.candidate import open_acme

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
NOT_GIVEN = answer(status=403, raw=b"<Error><Code>AccessDenied</Code></Error>", headers={"Content-Type": "text/xml"})


def listed(*keys: str) -> Behaviour:
    objects = "".join(f"<Contents><Key>{key}</Key></Contents>" for key in keys)
    text = f"<ListBucketResult><Name>b</Name><IsTruncated>false</IsTruncated>{objects}</ListBucketResult>"
    return answer(raw=text.encode(), headers={"Content-Type": "text/xml"})


@contextmanager
def bucket(folder: Path, *plan: Behaviour) -> Iterator[tuple[Services, Misbehaving]]:
    with misbehaving(*plan) as server:
        parts = open_acme(folder, erasures="s3://b", s3_endpoint=server.url).parts
        server.seen.clear()
        yield parts, server
        parts.close()


@pytest.fixture(autouse=True)
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_DEFAULT_REGION"):
        monkeypatch.setenv(name, "eu-central-1")


@pytest.mark.parametrize("part", ["head", "body"])
def test_a_record_sent_byte_by_byte_delays_nobody(tmp_path: Path, part: str):
    slowly = drip(part, every=0.003, headers={"ETag": '"tag"'})
    with bucket(tmp_path, listed(f"_erased/1-{0:032x}"), slowly) as (parts, _):
        began = time.monotonic()
        with pytest.raises(StoreUnavailable, match=r"did not send or take a small object within 0\.3 seconds"):
            tombstones.apply_unknown(parts.database, parts.erasures, NOW, timeout=0.3)
        assert time.monotonic() - began < 2.5


def test_an_unreadable_record_blocks_no_other_and_is_counted(tmp_path: Path):
    with bucket(tmp_path, answer()) as (parts, server):
        with parts.database.write() as connection:
            one = Tombstone("acme", NOW, ("a" * 64,), (), "A" * 20, NOW)
            tombstones.record(connection, one)
            (row,) = connection.execute(rows.select())
            connection.execute(rows.delete())
        keys, good = listed(f"_erased/1-{0:032x}", row.key), answer(raw=row.content.encode(), headers={"ETag": '"t"'})
        server.plan[:] = [keys, NOT_GIVEN, good, keys, NOT_GIVEN]
        assert tombstones.apply_unknown(parts.database, parts.erasures, NOW) == (1, 1)
        (line,) = check_installation.erasures(parts)
        assert not line.ok
        assert line.says.startswith("1 objects below _erased/ in PORTAL_ERASURES cannot be read")


def test_the_check_reads_only_a_few_of_many_unknown_records(tmp_path: Path):
    many = listed(*(f"_erased/1-{number:032x}" for number in range(30)))
    with bucket(tmp_path, many, NOT_GIVEN) as (parts, server):
        damaged, unread = check_installation.erasures(parts)
        assert len(server.seen) == 1 + 10
        assert (damaged.ok, damaged.says[:11]) == (False, "10 objects ")
        assert (unread.ok, unread.warns) == (True, True)
        assert "does not know 20 more below _erased/, which were not read" in unread.says
