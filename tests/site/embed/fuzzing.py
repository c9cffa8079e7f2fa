"""Additional rules for the fuzzer: formats that no schema describes, and a client address for each request."""

import itertools
import re
from typing import Any

import httpx
import schemathesis
from hypothesis import strategies as st

CV = b"Ada Lovelace, Bachelor of Engines, 1842 to 1843: notes on the Analytical Engine.\n" * 5
_ADDRESSES = itertools.count()
_CLIENT = httpx.Client(trust_env=False)
_LETTERS = st.text(st.sampled_from("abcdefghijklmnopqrstuvwxyzäöüßéñ"), min_size=1, max_size=20)

schemathesis.openapi.format("line", _LETTERS)
schemathesis.openapi.format("phone", st.from_regex(r"\+4930[1-9][0-9]{6}", fullmatch=True))
schemathesis.openapi.format("email", st.from_regex(r"[a-z]{1,20}@[a-z]{2,20}\.example", fullmatch=True))
schemathesis.openapi.format("uri", st.from_regex(r"https://[a-z]{1,20}\.example/[a-z]{0,20}", fullmatch=True))
schemathesis.openapi.format("country", st.sampled_from(["DE", "FR", "ES", "JP"]))


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: Any) -> None:
    """Send each request from a network of its own, and use a real handle where one is possible."""
    number = next(_ADDRESSES)
    someone = f"10.{number // 65_536 % 256}.{number // 256 % 256}.{number % 256}"
    case.headers["X-Forwarded-For"] = someone
    body = case.body
    if isinstance(body, dict) and re.fullmatch("[0-9a-f]{64}", str(body.get("cvAttachmentId"))):
        address = f"{case.operation.base_url}/acme/uploads"
        answer = _CLIENT.post(address, content=CV, headers={"X-Forwarded-For": someone})
        body["cvAttachmentId"] = answer.json()["cvAttachmentId"]
