"""`portal storage` shows changes before it makes them, is idempotent, and keeps rules of other programs."""

import ast
import json
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
import httpx
import pytest
from botocore import exceptions as aws
from botocore.config import Config
from click.testing import CliRunner, Result

from portal.adapters.storage.opening import open_store
from portal.adapters.storage.s3 import ACTIONS, S3Store
from portal.cli import portal as command
from portal.platform.errors import StoreMisconfigured

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

    from tests.parts.radosgw import RunningRadosgw

pytestmark = pytest.mark.xdist_group("radosgw")
ORIGIN = "https://careers.example"
TENANT = """
name = "Acme"
[site]
hosts = ["jobs.acme.example"]
[embed]
origins = ["https://www.acme.example"]
[tracker]
base_url = "https://tracker.example"
api_key = "env:KEY"
"""


def client_of(server: "RunningRadosgw") -> "S3Client":
    return boto3.Session().client("s3", endpoint_url=server.endpoint, config=Config(s3={"addressing_style": "path"}))


@pytest.fixture
def bucket(s3: "RunningRadosgw", tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Yield an unused bucket name, with settings that contain it."""
    name = f"b{secrets.token_hex(6)}"
    (tmp_path / "tenants").mkdir()
    (tmp_path / "tenants" / "acme.toml").write_text(TENANT, encoding="utf-8")
    settings = {
        "KEY": "k",
        "PORTAL_SECRET_KEY": "x" * 32,
        "PORTAL_BASE_URL": ORIGIN,
        "PORTAL_TENANTS": str(tmp_path / "tenants"),
        "PORTAL_ATTACHMENTS": f"s3://{name}",
        "PORTAL_S3_ENDPOINT": s3.endpoint,
        "PORTAL_DATABASE_URL": f"sqlite:///{tmp_path / 'portal.db'}",
    }
    for variable, value in settings.items():
        monkeypatch.setenv(variable, value)
    return name


def storage(*words: str, typed: str = "") -> Result:
    return CliRunner().invoke(command, ["storage", *words], input=typed)


def test_the_command_shows_its_changes_and_asks_for_confirmation(s3: "RunningRadosgw", bucket: str) -> None:
    done = storage("init", typed="n\n")
    assert done.exit_code == 1
    for what in ("bucket", "public access", "CORS", "life cycle"):
        assert any(line.startswith("CHANGE") and what in line for line in done.output.splitlines()), what
    with pytest.raises(aws.ClientError):
        client_of(s3).head_bucket(Bucket=bucket)


def test_a_second_run_of_the_command_changes_nothing(s3: "RunningRadosgw", bucket: str) -> None:
    assert storage("init", typed="y\n").exit_code == 0
    client = client_of(s3)
    (rule,) = client.get_bucket_cors(Bucket=bucket)["CORSRules"]
    assert (rule["AllowedOrigins"], rule["AllowedMethods"]) == ([ORIGIN, "https://jobs.acme.example"], ["POST"])
    block = client.get_public_access_block(Bucket=bucket)["PublicAccessBlockConfiguration"]
    # With BlockPublicAcls Ceph 16 accepts no file at all; ignoring public ACLs protects as well.
    assert {name for name, is_on in block.items() if not is_on} == {"BlockPublicAcls"}
    open_store(f"s3://{bucket}", s3_endpoint=s3.endpoint).check()
    (cycle,) = client.get_bucket_lifecycle_configuration(Bucket=bucket)["Rules"]
    assert (cycle["Filter"], cycle["Expiration"]) == ({"Prefix": "_incoming/"}, {"Days": 1})
    assert cycle["AbortIncompleteMultipartUpload"] == {"DaysAfterInitiation": 1}
    again = storage("init", "--yes")
    changes = [line for line in again.output.splitlines() if line.startswith("CHANGE")]
    assert [line.split()[1] for line in changes] == ["encryption"]  # this server does not support it, which is reported
    assert "warn    encryption" in again.output


def test_rules_of_other_programs_are_kept(s3: "RunningRadosgw", bucket: str) -> None:
    client = client_of(s3)
    client.create_bucket(Bucket=bucket)
    theirs: dict[str, Any] = {
        "ID": "theirs",
        "Status": "Enabled",
        "Filter": {"Prefix": "acme/"},
        "Expiration": {"Days": 200},
    }
    client.put_bucket_lifecycle_configuration(Bucket=bucket, LifecycleConfiguration={"Rules": [theirs]})
    page = {"AllowedMethods": ["GET"], "AllowedOrigins": ["https://other.example"]}
    client.put_bucket_cors(Bucket=bucket, CORSConfiguration={"CORSRules": [{"ID": "theirs", **page}]})
    assert storage("init", "--yes").exit_code == 0
    rules = client.get_bucket_lifecycle_configuration(Bucket=bucket)["Rules"]
    assert sorted(rule["ID"] for rule in rules) == ["portal-quarantine", "theirs"]
    assert sorted(rule["ID"] for rule in client.get_bucket_cors(Bucket=bucket)["CORSRules"]) == [
        "portal-uploads",
        "theirs",
    ]


def test_only_pages_of_the_portal_may_upload(s3: "RunningRadosgw", bucket: str) -> None:
    storage("init", "--yes")

    def preflight(origin: str, method: str = "POST") -> httpx.Response:
        headers = {"Origin": origin, "Access-Control-Request-Method": method}
        return httpx.options(f"{s3.endpoint}/{bucket}", headers=headers)

    for origin in (ORIGIN, "https://jobs.acme.example"):
        answer = preflight(origin)
        assert (answer.status_code, answer.headers["access-control-allow-origin"]) == (200, origin)
    for answer in (preflight("https://www.acme.example"), preflight("https://evil.example"), preflight(ORIGIN, "GET")):
        assert answer.headers.get("access-control-allow-origin") is None


def test_a_folder_needs_no_bucket(bucket: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PORTAL_ATTACHMENTS", f"file:{tmp_path}")
    done = storage("init")
    assert done.exit_code == 1
    assert "folder" in str(done.exception)


def test_the_policy_contains_every_call_of_the_storage() -> None:
    source = Path(__file__).parents[3] / "portal" / "adapters" / "storage" / "s3.py"
    calls = {
        node.attr
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute) and node.value.attr == "_client"
    }
    assert calls == set(ACTIONS)


def test_a_user_with_the_policy_can_do_only_what_the_portal_needs(
    s3: "RunningRadosgw", bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = client_of(s3)
    owner.create_bucket(Bucket=bucket)
    policy = json.loads(storage("policy").output)
    portal = s3.user(f"portal-{secrets.token_hex(4)}")
    for statement in policy["Statement"]:
        statement["Principal"] = {"AWS": [f"arn:aws:iam:::user/{portal.bucket}"]}
    owner.put_bucket_policy(Bucket=bucket, Policy=json.dumps(policy))
    for name, value in portal.environment.items():
        monkeypatch.setenv(name, value)
    store = open_store(f"s3://{bucket}", s3_endpoint=s3.endpoint)
    store.check()
    post = store.form_post("_incoming/one", least=1, most=9, seconds=60)
    assert post
    assert httpx.post(post.url, data=dict(post.fields), files={"file": ("x", b"x")}).status_code == 204
    with store.open_pinned("_incoming/one") as found:
        etag = found.etag
    store.copy("_incoming/one", "acme/one", etag=etag, media_type="text/plain", filename="cv.txt")
    store.delete("_incoming/one")
    assert list(store.keys("")) == ["acme/one"]
    theirs = client_of(s3)
    for call, more in {
        "get_bucket_cors": {},
        "put_bucket_policy": {"Policy": json.dumps(policy)},
        "delete_bucket": {},
        "put_bucket_cors": {"CORSConfiguration": {"CORSRules": []}},
        "get_bucket_policy": {},
        "put_bucket_acl": {"ACL": "public-read"},
    }.items():
        with pytest.raises(aws.ClientError) as refused:
            getattr(theirs, call)(Bucket=bucket, **more)
        assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 403, call
    with pytest.raises(StoreMisconfigured):
        S3Store(s3.bucket, endpoint=s3.endpoint).check()
    assert "Resource" in storage("policy").output


@pytest.mark.parametrize(
    ("endpoint", "region", "expected"),
    [
        (None, "eu-central-1", "https://careers.s3.eu-central-1.amazonaws.com"),
        (None, "us-east-1", "https://careers.s3.amazonaws.com"),
        ("https://account.r2.cloudflarestorage.com", "auto", "https://account.r2.cloudflarestorage.com"),
        ("http://127.0.0.1:9000", "us-east-1", "http://127.0.0.1:9000"),
    ],
)
def test_pages_may_upload_to_exactly_the_origin_of_the_forms(
    s3: "RunningRadosgw", endpoint: str | None, region: str, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_DEFAULT_REGION", region)
    store = S3Store("careers", endpoint=endpoint)
    post = store.form_post("_incoming/x", least=1, most=9, seconds=60)
    assert post
    assert store.origin == expected
    assert post.url.startswith(f"{expected}/")


def test_browsers_may_use_another_name_of_the_server(s3: "RunningRadosgw") -> None:
    store = open_store("s3://careers", s3_endpoint=s3.endpoint, s3_public="https://files.example")
    post = store.form_post("_incoming/x", least=1, most=9, seconds=60)
    assert (store.origin, post and post.url) == ("https://files.example", "https://files.example/careers")
    hidden = open_store("s3://careers", s3_endpoint=s3.endpoint, s3_public="none")
    assert (hidden.origin, hidden.form_post("_incoming/x", least=1, most=9, seconds=60)) == (None, None)
