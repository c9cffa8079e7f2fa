"""Files of a bucket are backed up and restored to another bucket, from which they are delivered."""

from pathlib import Path

import boto3
import pytest
from botocore.config import Config

from tests.delivery.running_portal import running_portal
from tests.operations.backup.machine import Backups
from tests.parts.radosgw import RunningRadosgw

pytestmark = pytest.mark.verify


def test_files_are_restored_from_one_bucket_to_another(s3: RunningRadosgw, tmp_path: Path):
    client = boto3.client("s3", endpoint_url=s3.endpoint, config=Config(s3={"addressing_style": "path"}))
    for bucket in ("backed-up", "restored"):
        client.create_bucket(Bucket=bucket)
    address = f"sqlite:///{tmp_path / 'tracker.db'}"
    store = {"PORTAL_ATTACHMENTS": "s3://backed-up", "PORTAL_S3_ENDPOINT": s3.endpoint}
    settings = {"TRACKER_DATABASE_URL": address, **s3.environment, **store}
    with running_portal(tmp_path / "site", f"sqlite:///{tmp_path / 'portal.db'}", **settings) as site:
        backups = Backups(site, tmp_path / "backups", lambda: f"sqlite:///{tmp_path / 'new.db'}")
        site.start("serve")
        site.serving()
        site.portal("sync")
        reference = site.acknowledge(site.open_form())
        backups.take()
        backups.lose_the_machine()
        site.environment["TRACKER_DATABASE_URL"] = address
        site.environment["PORTAL_ATTACHMENTS"] = "s3://restored"
        backups.restore()
        assert "deliveries without a file   0" in site.portal("storage", "check")
        site.start("worker")
        site.settled()
        assert site.services["acme"].counts()[reference] == 1
        (kept,) = client.list_objects_v2(Bucket="restored")["Contents"]
        restored, before = (client.get_object(Bucket=name, Key=kept["Key"]) for name in ("restored", "backed-up"))
        assert restored["Body"].read() == before["Body"].read()
        stored = ("ContentType", "ContentDisposition")
        assert [restored[name] for name in stored] == [before[name] for name in stored]
        assert "cv.txt" in before["ContentDisposition"]
