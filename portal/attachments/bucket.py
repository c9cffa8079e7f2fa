"""The bucket itself: what it should be like, what it is like, and the least that who uses it has to be allowed.

What other rules the bucket has stays: only rules under the names below are ours.
"""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from botocore import exceptions as aws

from portal.attachments.s3 import ACTIONS, client_of, failing

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
_UNKNOWN = frozenset(
    {"NotImplemented", "MethodNotAllowed", "InvalidArgument", "InvalidRequest", "UnsupportedOperation"}
)
_CLOSED = ("BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets")
_PREFLIGHT_KEPT = 3_600

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing about the bucket. change: puts it right; None where it is right, or nothing can be done."""

    what: str
    says: str
    change: Callable[[], None] | None = None


class _NotKnownHere(Exception):
    """The server does not know what it was asked for."""


class Bucket:
    """A bucket as the portal wants it. origins: of pages that send files to it. quarantine: what keys of files that
    nobody looked at yet begin with; days: after which the bucket deletes them by itself.
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
        """How it is, in the order in which it is put right; nothing is changed. Raises StoreError."""
        with failing(self._bucket):
            there = self._asked("head_bucket") is not None
            yield Finding("bucket", "there") if there else Finding("bucket", "is made", self._create)
            for one in (self._public_access, self._encryption, self._cors, self._life_cycle, self._versions):
                found = one()
                if found:
                    yield found

    def apply(self, finding: Finding) -> bool:
        """Put it right; False where the server does not know what that is. Raises StoreError."""
        with failing(self._bucket):
            try:
                if finding.change:
                    finding.change()
            except _NotKnownHere:
                return False
        return True

    def policy(self) -> str:
        """The least that the portal has to be allowed, as an IAM policy in JSON."""
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
            self._told("create_bucket", CreateBucketConfiguration={"LocationConstraint": region})

    def _public_access(self) -> Finding:
        what, wanted = "public access", dict.fromkeys(_CLOSED, True)
        if self._is_compatible_server:
            # Ceph 16 then refuses every file, private ones too. That public ACLs count for nothing does as well.
            wanted["BlockPublicAcls"] = False
        try:
            found = self._asked("get_public_access_block") or {}
        except _NotKnownHere:
            return Finding(
                what, "this server has no block of it: see that no policy of the bucket opens it to everybody"
            )
        if found.get("PublicAccessBlockConfiguration") == wanted:
            return Finding(what, "blocked")
        return Finding(
            what, "is blocked", lambda: self._told("put_public_access_block", PublicAccessBlockConfiguration=wanted)
        )

    def _encryption(self) -> Finding:
        what = "encryption"
        wanted = {"Rules": [{"ApplyServerSideEncryptionByDefault": {"SSEAlgorithm": "AES256"}}]}
        try:
            found = self._asked("get_bucket_encryption") or {}
        except _NotKnownHere:
            return Finding(what, "this server cannot be asked for it: encrypt its disks")
        if found.get("ServerSideEncryptionConfiguration", {}).get("Rules"):
            return Finding(what, "on by default")
        return Finding(
            what,
            "is on by default (SSE-S3)",
            lambda: self._told("put_bucket_encryption", ServerSideEncryptionConfiguration=wanted),
        )

    def _cors(self) -> Finding:
        what, ours = "CORS", self._cors_rule()
        try:
            found = (self._asked("get_bucket_cors") or {}).get("CORSRules", [])
        except _NotKnownHere:
            return Finding(what, "this server sets it elsewhere: it has to let " + " ".join(self._origins) + " POST")
        if ours in found:
            return Finding(what, "pages of " + " ".join(self._origins) + " may send files")
        rules = [*(rule for rule in found if rule.get("ID") != CORS_RULE), ours]
        return Finding(
            what,
            "lets pages of " + " ".join(self._origins) + " send files",
            lambda: self._told("put_bucket_cors", CORSConfiguration={"CORSRules": rules}),
        )

    def _life_cycle(self) -> Finding:
        what, ours = "life cycle", self._life_cycle_rule()
        try:
            found = (self._asked("get_bucket_lifecycle_configuration") or {}).get("Rules", [])
        except _NotKnownHere:
            return Finding(what, "this server has none: run `portal storage check --delete` now and then")
        if any(_same_rule(rule, ours) for rule in found):
            return Finding(what, f"what nobody looked at is deleted after days: {self._days}")
        rules = [*(rule for rule in found if rule.get("ID") != LIFE_CYCLE_RULE), ours]
        return Finding(
            what,
            f"deletes what nobody looked at after days: {self._days}",
            lambda: self._told("put_bucket_lifecycle_configuration", LifecycleConfiguration={"Rules": rules}),
        )

    def _versions(self) -> Finding | None:
        try:
            found = self._asked("get_bucket_versioning") or {}
        except _NotKnownHere:
            return None
        if found.get("Status") != "Enabled":
            return None
        return Finding("versions", "are kept, so that deleted CVs stay: have a life-cycle rule expire former versions")

    def _cors_rule(self) -> Answer:
        return {
            "ID": CORS_RULE,
            "AllowedHeaders": ["content-type"],
            "AllowedMethods": ["POST"],
            "AllowedOrigins": self._origins,
            "MaxAgeSeconds": _PREFLIGHT_KEPT,
        }

    def _life_cycle_rule(self) -> Answer:
        return {
            "ID": LIFE_CYCLE_RULE,
            "Status": "Enabled",
            "Filter": {"Prefix": self._quarantine},
            "Expiration": {"Days": self._days},
            "NoncurrentVersionExpiration": {"NoncurrentDays": 1},
            "AbortIncompleteMultipartUpload": {"DaysAfterInitiation": 1},
        }

    def _asked(self, call: str) -> Answer | None:
        """What the server says; None where nothing is set."""
        try:
            found: Answer = getattr(self._client, call)(Bucket=self._bucket)
        except aws.ClientError as error:
            if _code(error) in _NOT_SET:
                return None
            if _code(error) in _UNKNOWN:
                raise _NotKnownHere from None
            raise
        return found

    def _told(self, call: str, **what: object) -> None:
        try:
            getattr(self._client, call)(Bucket=self._bucket, **what)
        except aws.ClientError as error:
            if _code(error) in _UNKNOWN:
                raise _NotKnownHere from None
            raise


def _code(error: aws.ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


def _same_rule(rule: Answer, ours: Answer) -> bool:
    """A server may say more of a rule than it was told."""
    return {name: rule.get(name) for name in ours} == ours
