"""The code in docs/webhooks.md by which a receiver verifies an event, run on what is really sent."""

import json
import re
import time
from pathlib import Path
from typing import Any

from tests.jobs.pushes.webhook import SECRET, WebhookScene
from tests.site.browse.jobs import vacancy

DOCUMENT = (Path(__file__).parents[3] / "docs" / "webhooks.md").read_text(encoding="utf-8")


def documented() -> dict[str, Any]:
    (example,) = re.findall(r"(?s)```python\n(.*?)```", DOCUMENT)
    names: dict[str, Any] = {}
    exec(example, names)  # noqa: S102  the code in the document
    return names


def test_a_genuine_event_is_accepted_and_others_are_rejected(told: WebhookScene):
    now = time.time()
    told.acme.clock.pass_time(now - 86_401 - told.acme.clock.now().timestamp())
    told.publish(vacancy("w1", "Schweißer"))
    ((_, headers, body),) = told.heard.came
    lower, raw = {name.lower(): value for name, value in headers.items()}, body.encode()
    is_genuine = documented()["is_genuine"]
    assert is_genuine(SECRET, lower, raw)
    assert not is_genuine(SECRET, lower, raw + b" ")
    assert not is_genuine(SECRET, {**lower, "webhook-id": "opened_0"}, raw)
    assert not is_genuine("whsec_" + "A" * 44, lower, raw)


def test_a_replayed_event_is_rejected(told: WebhookScene):
    told.publish(vacancy("w1", "Welder"))
    ((_, headers, body),) = told.heard.came
    assert not documented()["is_genuine"](SECRET, {name.lower(): said for name, said in headers.items()}, body.encode())


def test_the_documented_body_is_what_is_sent(told: WebhookScene):
    told.publish(vacancy("w1", "Welder", salary={"currency": "EUR", "min": 1, "max": 2}))
    (event,) = told.events()
    (shown,) = (json.loads(each) for each in re.findall(r"(?s)```json\n(.*?)```", DOCUMENT))
    event.pop("webhook-id")
    assert list(shown) == list(event)
    assert list(shown["data"]) == list(event["data"])
    assert list(shown["data"]["salary"]) == list(event["data"]["salary"])
