"""Request headers become WSGI variables, and no header can be forged with underscores."""

from dataclasses import dataclass, field

import pytest

from portal.gateway.serving import environ_of


@dataclass
class Scope:
    http_version: str = "1.1"
    server: str = "127.0.0.1:8000"
    client: str = "192.0.2.1:4711"
    scheme: str = "http"
    method: str = "GET"
    path: str = "/"
    query_string: str = ""
    authority: str | None = None
    lines: list[tuple[str, str]] = field(default_factory=list)

    @property
    def headers(self):
        return _Lines(self.lines)


class _Lines:
    def __init__(self, lines):
        self._lines = lines

    def items(self):
        return [(name, value) for name, value in self._lines if value.isascii()]

    def keys(self):
        return [name for name, _ in self._lines]


def test_headers_with_an_underscore_are_dropped():
    forged = [("x_forwarded_for", "10.0.0.1"), ("x-forwarded-for", "192.0.2.9"), ("x_forwarded_for", "10.0.0.2")]
    environ = environ_of(Scope(lines=[*forged, ("x_forwarded_host", "evil.example"), ("content_length", "9")]))
    assert environ["HTTP_X_FORWARDED_FOR"] == "192.0.2.9"
    assert not [name for name, value in environ.items() if value in {"10.0.0.1", "10.0.0.2", "evil.example", "9"}]


def test_repeated_headers_are_joined_where_allowed():
    lines = [("x-forwarded-for", "1"), ("cookie", "a=1"), ("x-forwarded-for", "2"), ("cookie", "b=2")]
    environ = environ_of(Scope(lines=lines))
    assert (environ["HTTP_X_FORWARDED_FOR"], environ["HTTP_COOKIE"]) == ("1,2", "a=1; b=2")


def test_content_type_and_length_have_their_own_variables():
    environ = environ_of(Scope(lines=[("content-type", "text/plain"), ("content-length", "3"), ("host", "a.example")]))
    assert (environ["CONTENT_TYPE"], environ["CONTENT_LENGTH"], environ["HTTP_HOST"]) == (
        "text/plain",
        "3",
        "a.example",
    )
    assert "HTTP_CONTENT_TYPE" not in environ


@pytest.mark.parametrize(
    ("client", "address"), [("192.0.2.1:4711", "192.0.2.1"), ("[2001:db8::1]:80", "2001:db8::1"), ("", "")]
)
def test_the_remote_address_has_no_port(client, address):
    assert environ_of(Scope(client=client))["REMOTE_ADDR"] == address


def test_a_path_is_encoded_as_wsgi_requires():
    environ = environ_of(Scope(path="/acme/jobs/ä", query_string="q=%C3%A4"))
    assert environ["PATH_INFO"].encode("latin-1").decode() == "/acme/jobs/ä"
    assert environ["QUERY_STRING"] == "q=%C3%A4"
    assert environ_of(Scope(query_string="q=ä"))["QUERY_STRING"].encode("latin-1").decode() == "q=ä"


def test_a_header_value_that_cannot_be_decoded_becomes_empty():
    environ = environ_of(Scope(lines=[("idempotency-key", "\xe9"), ("host", "a.example")]))
    assert environ["HTTP_IDEMPOTENCY_KEY"] == ""
