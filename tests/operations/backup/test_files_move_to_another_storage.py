"""`portal storage copy` copies and verifies every file; a second run copies only new files."""

from pathlib import Path
from subprocess import CompletedProcess

import boto3
import pytest
from botocore.config import Config

from tests.parts import command
from tests.parts.radosgw import RunningRadosgw

SECRET = {"PORTAL_SECRET_KEY": "a secret for tests, 32 characters"}


def copy(source: Path, target: str, *options: str, **settings: str) -> CompletedProcess[str]:
    return command.portal("storage", "copy", f"file:{source}", target, *options, environment={**SECRET, **settings})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "attachments"
    for number in range(5):
        place = made / f"tenant-{number % 2}"
        place.mkdir(parents=True, exist_ok=True)
        (place / f"file-{number}").write_bytes(bytes([number]) * (number * 100_000))
    return made


def test_a_second_run_copies_only_new_files(folder: Path, tmp_path: Path):
    target = tmp_path / "target"
    done = copy(folder, f"file:{target}")
    assert (done.returncode, done.stdout.splitlines()[0]) == (
        0,
        f"5 files are at file:{target}, 5 of them new; each was read back and compared",
    )
    (folder / "tenant-0" / "file-9").write_bytes(b"new")
    assert "6 files are at" in copy(folder, f"file:{target}").stdout
    assert "6 files are at" in (again := copy(folder, f"file:{target}")).stdout
    assert ", 0 of them new" in again.stdout
    found = {path.relative_to(target): path.read_bytes() for path in target.rglob("*") if path.is_file()}
    assert found == {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_files_of_other_programs_are_not_copied(folder: Path, tmp_path: Path):
    (folder / "tenant-0" / "with space").write_text("somebody's")
    done = copy(folder, f"file:{tmp_path / 'target'}")
    assert done.returncode == 0, done.stderr
    assert "5 files are at" in done.stdout
    assert not (tmp_path / "target" / "tenant-0" / "with space").exists()


@pytest.mark.parametrize(("other", "options"), [(b"other", ()), (b"\0" * 300_000, ("--verify",))])
def test_different_content_at_the_target_is_reported_without_the_key(
    folder: Path, tmp_path: Path, other: bytes, options: tuple[str, ...]
):
    target = tmp_path / "target"
    assert copy(folder, f"file:{target}").returncode == 0
    (target / "tenant-1" / "file-3").write_bytes(other)
    done = copy(folder, f"file:{target}", *options)
    assert done.returncode == 1
    assert "has other bytes at the target" in done.stderr
    assert "file-3" not in done.stderr
    assert (target / "tenant-1" / "file-3").read_bytes() == other


def test_copied_files_are_verified_again_only_on_request(folder: Path, tmp_path: Path):
    target = tmp_path / "target"
    assert copy(folder, f"file:{target}").returncode == 0
    (target / "tenant-1" / "file-3").write_bytes(b"\0" * 300_000)  # reading it would find other bytes
    done = copy(folder, f"file:{target}")
    assert done.returncode == 0, done.stderr
    assert "0 of them new; each new one was read back and compared, the others by their sizes" in done.stdout


def test_a_missing_folder_is_not_treated_as_empty(tmp_path: Path):
    done = copy(tmp_path / "nowhere", f"file:{tmp_path / 'target'}")
    assert (done.returncode, "does not exist" in done.stderr) == (1, True)


@pytest.mark.verify
def test_files_are_copied_to_a_bucket(folder: Path, s3: RunningRadosgw):
    client = boto3.client("s3", endpoint_url=s3.endpoint, config=Config(s3={"addressing_style": "path"}))
    client.create_bucket(Bucket="moved-to")
    settings = {**s3.environment, "PORTAL_S3_ENDPOINT": s3.endpoint}
    done = copy(folder, "s3://moved-to", **settings)
    assert "5 files are at s3://moved-to, 5 of them new" in done.stdout, done.stderr
    kept = {one["Key"]: one["Size"] for one in client.list_objects_v2(Bucket="moved-to")["Contents"]}
    assert kept == {str(path.relative_to(folder)): path.stat().st_size for path in folder.rglob("*") if path.is_file()}


@pytest.mark.verify
def test_files_are_copied_from_a_bucket_with_name_and_type(s3: RunningRadosgw):
    client = boto3.client("s3", endpoint_url=s3.endpoint, config=Config(s3={"addressing_style": "path"}))
    for bucket in ("one", "other"):
        client.create_bucket(Bucket=bucket)
    named = "attachment; filename=\"Zoe.pdf\"; filename*=UTF-8''Zo%C3%AB.pdf"
    client.put_object(Bucket="one", Key="acme/k", Body=b"%PDF", ContentType="application/pdf", ContentDisposition=named)
    done = command.portal("storage", "copy", "s3://one", "s3://other", environment=settings_of(s3))
    assert "1 files are at s3://other, 1 of them new" in done.stdout, done.stderr
    found = client.get_object(Bucket="other", Key="acme/k")
    assert (found["ContentType"], found["ContentDisposition"]) == ("application/pdf", named)


def settings_of(s3: RunningRadosgw) -> dict[str, str]:
    return {**SECRET, **s3.environment, "PORTAL_S3_ENDPOINT": s3.endpoint}
