"""Mail through Amazon SES, as a finished message, so that it is the same one that SMTP would carry."""

from typing import TYPE_CHECKING

import boto3
from botocore import exceptions as aws
from botocore.config import Config

from portal.errors import MailDelayed, MailError, MailRefused, MailUnavailable
from portal.mail.message import Message

if TYPE_CHECKING:
    from types_boto3_ses import SESClient

_CONNECT_TIMEOUT = 5.0
_READ_TIMEOUT = 20.0
# What concerns this one message; anything else (quota, credentials) can be put right.
_REFUSED = frozenset({"MessageRejected", "InvalidParameterValue"})
_OF_THE_SENDER = frozenset({"MailFromDomainNotVerified", "MailFromDomainNotVerifiedException"})


class SesMailer:
    """SES in a region. Credentials are found as boto3 finds them."""

    def __init__(self, region: str) -> None:
        config = Config(
            connect_timeout=_CONNECT_TIMEOUT,
            read_timeout=_READ_TIMEOUT,
            retries={"mode": "standard", "total_max_attempts": 1},  # the outbox tries again, in its own time
        )
        self._client: SESClient = boto3.Session().client("ses", region_name=region, config=config)

    def send(self, message: Message) -> None:
        """Hand one message over."""
        content = message.as_email().as_bytes()
        try:
            self._client.send_raw_email(Destinations=[message.recipient], RawMessage={"Data": content})
        except (aws.ClientError, aws.BotoCoreError) as exc:
            # Not chained: SES repeats addresses in its words.
            raise _failed(exc) from None

    def check(self) -> None:
        """Ask for the sending quota: it needs the same credentials, and sends nothing."""
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
        return MailRefused(f"SES will not take the message ({code})")
    if code in _OF_THE_SENDER:
        return MailDelayed(f"SES does not know this tenant's sender ({code})")
    return MailUnavailable(f"SES cannot now ({code})")
