"""Each event is one line, as JSON or text, with the same facts and without text that visitors control."""

import json
import logging
import os
import re

import pytest

from portal.adapters.tracker_client.errors import Rejected
from portal.platform.logs import EventName, event, request
from portal.platform.logs.allowed_fields import Facts
from portal.platform.logs.formatting import Form, Json, Text, formatter
from portal.site.forms.refusals import RefusalReason


def line_of(job, form: Form = Form.JSON) -> str:
    said: list[str] = []

    class RecordingHandler(logging.Handler):
        def emit(self, record):
            said.append(formatter(form).format(record))

    root, ear = logging.getLogger(), RecordingHandler()
    root.addHandler(ear)
    try:
        job()
    finally:
        root.removeHandler(ear)
    (line,) = said
    return line


def refused() -> None:
    with request.logging_request("abc.1"):
        event(
            EventName.REFUSED,
            tenant="acme",
            reference="REF23",
            kind="application",
            reason=RefusalReason.FORM,
            seconds=1.23456789,
            attempt=3,
            because=Rejected("the service says 422", operation="4.8", status=422),
            level=logging.WARNING,
        )


def test_a_json_line_is_one_object_with_its_fields():
    line = json.loads(line_of(refused))
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line.pop("time"))
    assert line == {
        "pid": os.getpid(),
        "level": "warning",
        "event": "refused",
        "tenant": "acme",
        "reference": "REF23",
        "request": "abc.1",
        "kind": "application",
        "reason": "form",
        "seconds": 1.2346,
        "attempt": 3,
        "error": "Rejected",
        "message": "the service says 422",
    }


def test_a_text_line_has_the_same_fields():
    line = line_of(refused, Form.TEXT)
    told = r"warning refused tenant=acme reference=REF23 request=abc\.1 kind=application "
    assert re.match(rf"\S+Z {os.getpid()} {told}", line)
    assert line.endswith("reason=form seconds=1.2346 attempt=3 error=Rejected: the service says 422")


@pytest.mark.parametrize("form", Form)
@pytest.mark.parametrize(
    "hostile",
    ["two\nlines", "a\r\nb", "\x1b[31mred", "\u2028", "\x00", "\udc80"],
    ids=["newline", "return", "colour", "separator", "nul", "surrogate"],
)
def test_values_cannot_start_a_line_or_control_a_terminal(form: Form, hostile: str):
    record = logging.makeLogRecord({"name": "portal.test", "levelname": "INFO", "msg": "%s", "args": (hostile,)})
    line = formatter(form).format(record)
    assert line.isprintable()
    line.encode("utf-8")


def test_only_type_and_place_of_an_exception_are_logged():
    def fails() -> None:
        try:
            raise ValueError("a person's words")
        except ValueError:
            logging.getLogger("portal.test").exception("it failed")

    line = line_of(fails)
    assert "a person's words" not in line
    assert re.search(r"it failed: ValueError at \S+\.py:\d+", json.loads(line)["message"])


def test_arguments_of_library_messages_are_not_logged():
    line = line_of(lambda: logging.getLogger("urllib3.pool").warning("Retrying %s", "/a/secret/key"))
    assert json.loads(line)["message"] == "Retrying %s"


@pytest.mark.parametrize(
    ("name", "fits", "does_not"),
    [
        ("tenant", "a" * 50, "a" * 51),
        ("reference", "A" * 64, "A" * 65),
        ("reference", "a.b_c-D", "two words"),
        ("tenant", "acme", "Acme"),
        ("kind", "k" * 60, "k" * 61),
        ("mailbox", "0" * 16, "0" * 15),
        ("network", "0123456789abcdef", "192.0.2.1"),
        ("message", "m" * 1_000, "m" * 1_001),
    ],
)
def test_a_field_with_unexpected_characters_is_omitted_and_named(name: str, fits: str, does_not: str):
    assert dict(Facts(**{name: fits})) == {name: fits}
    assert dict(Facts(**{name: does_not})) == {"leftOut": name}


def test_a_field_without_a_defined_alphabet_is_omitted():
    assert dict(Facts(email="somebody")) == {"leftOut": "email"}


def test_a_line_without_an_event_names_its_logger():
    assert json.loads(line_of(lambda: logging.getLogger("portal.x").warning("so %d", 3))) | {"time": ""} == {
        "time": "",
        "pid": os.getpid(),
        "level": "warning",
        "logger": "portal.x",
        "message": "so 3",
    }


def test_long_messages_are_truncated_to_an_atomic_pipe_write():
    for maker in (Json(), Text()):
        record = logging.makeLogRecord({"name": "portal.x", "msg": "é" * 5_000, "levelname": "ERROR"})
        assert len(maker.format(record).encode()) < 4_096 * 3
