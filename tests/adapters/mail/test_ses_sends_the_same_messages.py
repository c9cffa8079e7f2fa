"""SES through boto3, against a local fake that responds in the same format."""

import base64
from collections.abc import Iterator
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from urllib.parse import parse_qs

import pytest

from portal.adapters.mail.message import Message
from portal.adapters.mail.transports import open_mailer
from portal.platform.errors import MailDelayed, MailRefused, MailUnavailable

RESULT = "<SendRawEmailResult><MessageId>m-1</MessageId></SendRawEmailResult>"
TAKEN = (200, f"<SendRawEmailResponse>{RESULT}</SendRawEmailResponse>")


def error(status: int, code: str) -> tuple[int, str]:
    said = f"<Type>Sender</Type><Code>{code}</Code><Message>marit.canary</Message>"
    return status, f"<ErrorResponse><Error>{said}</Error></ErrorResponse>"


def quota(allowed: float, sent: float) -> tuple[int, str]:
    text = f"<Max24HourSend>{allowed}</Max24HourSend><SentLast24Hours>{sent}</SentLast24Hours>"
    return 200, f"<GetSendQuotaResponse><GetSendQuotaResult>{text}</GetSendQuotaResult></GetSendQuotaResponse>"


class Ses(ThreadingHTTPServer):
    """Responds to every request with `answer` and records the requests."""

    answer = TAKEN

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.requests: list[dict[str, list[str]]] = []


class Handler(BaseHTTPRequestHandler):
    server: Ses

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.requests.append(parse_qs(body.decode()))
        status, text = self.server.answer
        self.send_response(status)
        self.send_header("Content-Type", "text/xml")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  named by http.server
        pass


@pytest.fixture
def ses(monkeypatch: pytest.MonkeyPatch) -> Iterator[Ses]:
    with Ses() as server:
        thread = Thread(target=server.serve_forever, args=(0.02,))
        thread.start()
        monkeypatch.setenv("AWS_ENDPOINT_URL_SES", f"http://127.0.0.1:{server.server_address[1]}")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
        monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        yield server
        server.shutdown()
        thread.join()


def test_a_message_is_sent_as_by_smtp(ses: Ses, message: Message) -> None:
    open_mailer("ses:eu-central-1").send(message)
    (sent,) = ses.requests
    assert sent["Action"] == ["SendRawEmail"]
    found = message_from_bytes(base64.b64decode(sent["RawMessage.Data"][0]), policy=policy.default)
    assert (found["To"], found["Message-ID"]) == (message.to, "<receipt-r-1@acme.example>")


@pytest.mark.parametrize("code", ["MessageRejected", "InvalidParameterValue"])
def test_a_message_rejected_by_ses_is_final(ses: Ses, message: Message, code: str) -> None:
    ses.answer = error(400, code)
    with pytest.raises(MailRefused, match=code) as raised:
        open_mailer("ses:eu-central-1").send(message)
    assert "canary" not in str(raised.value)
    assert raised.value.__cause__ is None


@pytest.mark.parametrize(
    "answer",
    [
        error(400, "Throttling"),
        error(400, "AccountSendingPausedException"),
        error(403, "SignatureDoesNotMatch"),
        error(503, "ServiceUnavailable"),
        (500, ""),
    ],
)
def test_other_errors_of_ses_are_retried(ses: Ses, message: Message, answer: tuple[int, str]) -> None:
    ses.answer = answer
    with pytest.raises(MailUnavailable) as raised:
        open_mailer("ses:eu-central-1").send(message)
    assert "canary" not in str(raised.value)
    assert len(ses.requests) == 1


def test_an_unverified_sender_affects_only_its_tenant(ses: Ses, message: Message) -> None:
    ses.answer = error(400, "MailFromDomainNotVerifiedException")
    with pytest.raises(MailDelayed, match="sender") as raised:
        open_mailer("ses:eu-central-1").send(message)
    assert "canary" not in str(raised.value)


def test_missing_credentials_are_reported(ses: Ses, message: Message, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, "/dev/null")
    with pytest.raises(MailUnavailable, match="credentials"):
        open_mailer("ses:eu-central-1").send(message)
    assert ses.requests == []


def test_the_preflight_check_requests_the_quota(ses: Ses) -> None:
    ses.answer = quota(200, 199)
    open_mailer("ses:eu-central-1").check()
    assert ses.requests[0]["Action"] == ["GetSendQuota"]
    ses.answer = quota(200, 200)
    with pytest.raises(MailUnavailable, match="quota"):
        open_mailer("ses:eu-central-1").check()
    ses.answer = quota(-1, 1_000_000)
    open_mailer("ses:eu-central-1").check()
