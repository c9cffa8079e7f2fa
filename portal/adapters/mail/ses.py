"""Email through Amazon SES, sent as raw messages, so that they are the same as those sent by SMTP."""

from typing import TYPE_CHECKING

import boto3
from botocore import exceptions as aws
from botocore.config import Config

from portal.adapters.mail.message import Message
from portal.platform.errors import MailDelayed, MailError, MailRefused, MailUnavailable

if TYPE_CHECKING:
    from types_boto3_ses import SESClient

_CONNECT_TIMEOUT = 5.0
_READ_TIMEOUT = 20.0
# These concern a single message; everything else (quota, credentials) operators can fix.
_REFUSED = frozenset({"MessageRejected", "InvalidParameterValue"})
_OF_THE_SENDER = frozenset({"MailFromDomainNotVerified", "MailFromDomainNotVerifiedException"})


class SesMailer:
    """Amazon SES in one region. boto3 finds credentials in its usual places."""

    def __init__(self, region: str) -> None:
        config = Config(
            connect_timeout=_CONNECT_TIMEOUT,
            read_timeout=_READ_TIMEOUT,
            retries={"mode": "standard", "total_max_attempts": 1},  # the outbox retries by its own policy
        )
        self._client: SESClient = boto3.Session().client("ses", region_name=region, config=config)

    def send(self, message: Message) -> None:
        """Send one message."""
        content = message.as_email().as_bytes()
        try:
            self._client.send_raw_email(Destinations=[message.recipient], RawMessage={"Data": content})
        except (aws.ClientError, aws.BotoCoreError) as exc:
            # Not chained: SES repeats addresses in its error messages.
            raise _failed(exc) from None

    def check(self) -> None:
        """Request the sending quota, which needs the same credentials and sends nothing."""
        try:
            quota = self._client.get_send_quota()
        except (aws.ClientError, aws.BotoCoreError) as exc:
            raise _failed(exc) from None
        if 0 <= quota["Max24HourSend"] <= quota["SentLast24Hours"]:
            raise MailUnavailable("the daily sending quota of SES is used up")


def _failed(exc: aws.ClientError | aws.BotoCoreError) -> MailError:
    if not isinstance(exc, aws.ClientError):
        return MailUnavailable(f"SES cannot be used ({type(exc).__name__}): check network and credentials")
    code = str(exc.response.get("Error", {}).get("Code", "unknown"))
    if code in _REFUSED:
        return MailRefused(f"SES rejects the message ({code})")
    if code in _OF_THE_SENDER:
        return MailDelayed(f"SES does not know this tenant's sender ({code})", of_sender=True)
    return MailUnavailable(f"SES cannot now ({code})")
