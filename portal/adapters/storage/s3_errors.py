"""boto3's errors as StoreError, with what operators should do about them."""

from collections.abc import Iterator
from contextlib import contextmanager

from botocore import exceptions as aws

from portal.platform.errors import AttachmentMissing, StoreError, StoreMisconfigured, StoreUnavailable

_TRANSIENT = frozenset(
    {
        "SlowDown",
        "RequestTimeout",
        "InternalError",
        "ServiceUnavailable",
        "Throttling",
        "OperationAborted",
        "QuotaExceeded",
    }
)
_TRANSIENT_STATUS = frozenset({408, 429, 500, 502, 503, 504, 507})
_WRONG_SETUP = (
    aws.NoCredentialsError,
    aws.PartialCredentialsError,
    aws.CredentialRetrievalError,
    aws.NoRegionError,
    aws.ProfileNotFound,
    aws.ParamValidationError,
    aws.InvalidConfigError,
    aws.ConfigParseError,
)

_TODO = {
    "InvalidAccessKeyId": "it does not know this AWS_ACCESS_KEY_ID",
    "SignatureDoesNotMatch": "AWS_SECRET_ACCESS_KEY is not the one of this AWS_ACCESS_KEY_ID",
    "RequestTimeTooSkewed": "this machine's clock and the store's are more than a quarter of an hour apart: run NTP",
    "AccessDenied": "the key is known and may not do this: allow it what `portal storage policy` prints",
    "AllAccessDisabled": "the account is closed",
    "ExpiredToken": "the credentials are over: renew them",
    "AuthorizationHeaderMalformed": "the bucket is in another region: set AWS_DEFAULT_REGION",
    "PermanentRedirect": "the bucket is in another region, or at another endpoint: set AWS_DEFAULT_REGION",
    "IllegalLocationConstraintException": "the bucket is in another region: set AWS_DEFAULT_REGION",
}
"""S3 error code → what operators should do."""


@contextmanager
def failing(bucket: str) -> Iterator[None]:
    """Raise boto3's errors as StoreError."""
    # Not chained: boto3's errors contain the object's URL, and so its key.
    try:
        yield
    except aws.ClientError as exc:
        raise _answered(exc, bucket) from None
    except _WRONG_SETUP as exc:
        raise StoreMisconfigured(
            f"S3 cannot be used ({type(exc).__name__}): check credentials and region, as boto3 finds them"
        ) from None
    except (aws.EndpointConnectionError, aws.SSLError, aws.ConnectTimeoutError) as exc:
        raise StoreUnavailable(
            f"the store of bucket {bucket} cannot be reached ({type(exc).__name__}): is PORTAL_S3_ENDPOINT right, its "
            "port and http or https too, and the region?"
        ) from None
    except RecursionError:  # botocore follows redirects in a circle until the stack is full
        raise not_s3(bucket) from None
    except aws.BotoCoreError as exc:
        why = type(exc).__name__
        raise StoreUnavailable(
            f"the store of bucket {bucket} is not responding ({why}): check that it is running"
        ) from None


def not_s3(bucket: str) -> StoreUnavailable:
    """Return the error for a response that S3 would not send."""
    return StoreUnavailable(
        f"what answers for bucket {bucket} does not speak S3: is PORTAL_S3_ENDPOINT right, and is it the store that "
        "answers there, not something in front of it?"
    )


def _answered(exc: aws.ClientError, bucket: str) -> StoreError:
    code = str(exc.response.get("Error", {}).get("Code", ""))
    status = exc.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    if code in {"NoSuchKey", "PreconditionFailed"}:
        return AttachmentMissing("the attachment is not in the store")
    if code in _TRANSIENT or status in _TRANSIENT_STATUS:
        return StoreUnavailable(f"the store of bucket {bucket} is temporarily unavailable: {code} ({status})")
    if code in {"NoSuchBucket", "404"}:  # responses to HEAD have no body
        return StoreMisconfigured(f"there is no bucket {bucket}: create it, or correct PORTAL_ATTACHMENTS")
    if not exc.response.get("Error", {}).get("Code") or code.isdigit():
        return StoreMisconfigured(
            f"what answers for bucket {bucket} does not speak S3 ({status}): correct PORTAL_S3_ENDPOINT"
        )
    todo = _TODO.get(code, "check credentials and policy")
    return StoreMisconfigured(f"the store of bucket {bucket} refuses: {code} ({status}); {todo}")
