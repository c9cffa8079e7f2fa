"""Settings of the bucket: their required and actual values, how to change them; and the least IAM policy.

Other rules of the bucket are left as they are: only the rules with the names below belong to the portal.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore import exceptions as aws

from portal.adapters.storage.s3 import ACTIONS, client_of
from portal.adapters.storage.s3_errors import failing

if TYPE_CHECKING:
    from types_boto3_s3 import S3Client

CORS_RULE = "portal-uploads"
LIFE_CYCLE_RULE = "portal-quarantine"
_NOT_SET = frozenset(
    {
        "404",
        "NoSuchBucket",
        "NoSuchCORSConfiguration",
        "NoSuchLifecycleConfiguration",
        "NoSuchPublicAccessBlockConfiguration",
        "ServerSideEncryptionConfigurationNotFoundError",
    }
)
_UNSUPPORTED = frozenset(
    {"NotImplemented", "MethodNotAllowed", "InvalidArgument", "InvalidRequest", "UnsupportedOperation"}
)
_PUBLIC_ACCESS_BLOCKS = ("BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets")
_PREFLIGHT_SECONDS = 3_600

S3Response = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Finding:
    """One setting of the bucket. change: a function that corrects it; None if it is right, or cannot be changed."""

    what: str
    says: str
    change: Callable[[], None] | None = None


class _NotSupported(Exception):
    """The server does not support the call."""


class Bucket:
    """A bucket as the portal needs it. origins: of pages that upload to it. quarantine: key prefix of files that are
    not inspected yet. days: age at which the bucket deletes these automatically.
    """

    def __init__(
        self, bucket: str, *, endpoint: str | None, origins: tuple[str, ...], quarantine: str, days: int
    ) -> None:
        self._bucket = bucket
        self._is_compatible_server = endpoint is not None
        self._origins = sorted(origins)
        self._quarantine = quarantine
        self._days = days
        self._client: S3Client = client_of(bucket, endpoint=endpoint)

    def findings(self) -> Iterator[Finding]:
        """Yield the state of each setting, in the order in which to correct them; change nothing. Raises StoreError."""
        with failing(self._bucket):
            exists = self._get("head_bucket") is not None
            yield Finding("bucket", "there") if exists else Finding("bucket", "is made", self._create)
            for one in (self._public_access, self._encryption, self._cors, self._life_cycle, self._versions):
                found = one()
                if found:
                    yield found

    def apply(self, finding: Finding) -> bool:
        """Correct a setting; return False if the server does not support it. Raises StoreError."""
        with failing(self._bucket):
            try:
                if finding.change:
                    finding.change()
            except _NotSupported:
                return False
        return True

    def policy(self) -> str:
        """Return the least permissions that the portal needs, as an IAM policy in JSON."""
        objects = sorted({action for actions in ACTIONS.values() for action in actions} - {"s3:ListBucket"})
        arn = f"arn:{self._client.meta.partition}:s3:::{self._bucket}"
        return json.dumps(
            {
                "Version": "2012-10-17",
                "Statement": [
                    {"Effect": "Allow", "Action": objects, "Resource": f"{arn}/*"},
                    {"Effect": "Allow", "Action": ["s3:ListBucket"], "Resource": arn},
                ],
            },
            indent=2,
        )

    def _create(self) -> None:
        region = self._client.meta.region_name
        if self._is_compatible_server or region == "us-east-1":
            self._client.create_bucket(Bucket=self._bucket)
        else:
            self._put("create_bucket", CreateBucketConfiguration={"LocationConstraint": region})

    def _public_access(self) -> Finding:
        what, wanted = "public access", dict.fromkeys(_PUBLIC_ACCESS_BLOCKS, True)
        if self._is_compatible_server:
            # Ceph 16 would then reject every file, including private ones. Ignoring public ACLs is as good.
            wanted["BlockPublicAcls"] = False
        try:
            found = self._get("get_public_access_block") or {}
        except _NotSupported:
            return Finding(
                what, "this server has no block of it: see that no policy of the bucket opens it to everybody"
            )
        if found.get("PublicAccessBlockConfiguration") == wanted:
            return Finding(what, "blocked")
        return Finding(
            what, "is blocked", lambda: self._put("put_public_access_block", PublicAccessBlockConfiguration=wanted)
        )

    def _encryption(self) -> Finding:
        what = "encryption"
        wanted = {"Rules": [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}]}
        try:
            found = self._get("get_bucket_encryption") or {}
        except _NotSupported:
            return Finding(what, "this server cannot be asked for it: encrypt its disks")
        if found.get("ServerSideEncryptionConfiguration", {}).get("Rules"):
            return Finding(what, "on by default")
        return Finding(
            what,
            "is on by default (SSE-S3)",
            lambda: self._put("put_bucket_encryption", ServerSideEncryptionConfiguration=wanted),
        )

    def _cors(self) -> Finding:
        what, ours = "CORS", self._cors_rule()
        try:
            found = (self._get("get_bucket_cors") or {}).get("CORSRules", [])
        except _NotSupported:
            return Finding(what, "this server sets it elsewhere: it has to let " + " ".join(self._origins) + " POST")
        if ours in found:
            return Finding(what, "pages of " + " ".join(self._origins) + " may send files")
        rules = [*(rule for rule in found if rule.get("ID") != CORS_RULE), ours]
        return Finding(
            what,
            "lets pages of " + " ".join(self._origins) + " send files",
            lambda: self._put("put_bucket_cors", CORSConfiguration={"CORSRules": rules}),
        )

    def _life_cycle(self) -> Finding:
        what, ours = "life cycle", self._life_cycle_rule()
        try:
            found = (self._get("get_bucket_lifecycle_configuration") or {}).get("Rules", [])
        except _NotSupported:
            return Finding(what, "this server has none: run `portal storage check --delete` now and then")
        if any(_same_rule(rule, ours) for rule in found):
            return Finding(what, f"what nobody looked at is deleted after days: {self._days}")
        rules = [*(rule for rule in found if rule.get("ID") != LIFE_CYCLE_RULE), ours]
        return Finding(
            what,
            f"deletes what nobody looked at after days: {self._days}",
            lambda: self._put("put_bucket_lifecycle_configuration", LifecycleConfiguration={"Rules": rules}),
        )

    def _versions(self) -> Finding | None:
        try:
            found = self._get("get_bucket_versioning") or {}
        except _NotSupported:
            return None
        if found.get("Status") != "Enabled":
            return None
        return Finding("versions", "are kept, so that deleted CVs stay: have a life-cycle rule expire former versions")

    def _cors_rule(self) -> S3Response:
        return {
            "ID": CORS_RULE,
            "AllowedHeaders": ["content-type"],
            "AllowedMethods": ["POST"],
            "AllowedOrigins": self._origins,
            "MaxAgeSeconds": _PREFLIGHT_SECONDS,
        }

    def _life_cycle_rule(self) -> S3Response:
        return {
            "ID": LIFE_CYCLE_RULE,
            "Status": "Enabled",
            "Filter": {"Prefix": self._quarantine},
            "Expiration": {"Days": self._days},
            "NoncurrentVersionExpiration": {"NoncurrentDays": 1},
            "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 1},
        }

    def _get(self, call: str) -> S3Response | None:
        """Return the server's response; None if nothing is configured."""
        try:
            found: S3Response = getattr(self._client, call)(Bucket=self._bucket)
        except aws.ClientError as error:
            if _code(error) in _NOT_SET:
                return None
            if _code(error) in _UNSUPPORTED:
                raise _NotSupported from None
            raise
        return found

    def _put(self, call: str, **what: object) -> None:
        try:
            getattr(self._client, call)(Bucket=self._bucket, **what)
        except aws.ClientError as error:
            if _code(error) in _UNSUPPORTED:
                raise _NotSupported from None
            raise


def _code(error: aws.ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


def _same_rule(rule: S3Response, ours: S3Response) -> bool:
    """Return whether they are equal, apart from members that the server adds."""
    return {name: rule.get(name) for name in ours} == ours
