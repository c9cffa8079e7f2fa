"""Tables of bad values in all parts of a request except its body, each with the allowed statuses."""

from typing import NamedTuple

Statuses = frozenset[int]


def one_of(*statuses: int) -> Statuses:
    return frozenset(statuses)


ANYTHING = frozenset(range(200, 500))
"""Taken, led elsewhere or refused: what is harmless where it stands, such as an unknown parameter of a query."""
REFUSED = frozenset(range(400, 500))


class Bad(NamedTuple):
    """A bad value. value: as it is written in the request, percent-encoded where that is usual there."""

    name: str
    value: str
    expected: Statuses = ANYTHING


_NOT_THERE = one_of(404)
_NO_ROUTE = one_of(404, 405)
"""What is cut off, or has more segments, may be the address of another route, which takes another method."""
PATHS = (
    Bad("nul", "%00", _NOT_THERE),
    Bad("nul inside", "a%00b", _NOT_THERE),
    Bad("not utf-8", "%ff%fe", _NOT_THERE),
    Bad("overlong slash", "%c0%af", _NOT_THERE),
    Bad("overlong nul", "%c0%80", _NOT_THERE),
    Bad("surrogate", "%ed%a0%80", _NOT_THERE),
    Bad("line break", "%0d%0aX-Hostile:%201", _NOT_THERE),
    Bad("two dots", "%2e%2e", _NOT_THERE),
    Bad("folders up", "..%5c..%5cetc%5cpasswd", _NOT_THERE),
    Bad("sql", "'%20OR%20'1'='1'--", _NOT_THERE),
    Bad("markup", "%3Csvg%20onload=hostile%3E", _NOT_THERE),
    Bad("template", "%7B%7B7*7%7D%7D", _NOT_THERE),
    Bad("lookup", "$%7Bjndi:ldap:%5Chostile%7D", _NOT_THERE),
    Bad("format", "%25s%25n%25n", _NOT_THERE),
    Bad("big number", "9" * 400, _NOT_THERE),
    Bad("bidirectional", "%e2%80%aegnp.exe", _NOT_THERE),
    Bad("full-width", "%ef%bc%a1cme", _NOT_THERE),
    Bad("combining marks", "a" + "%cc%81" * 300, _NO_ROUTE),
    Bad("delete", "%7f", _NOT_THERE),
    Bad("blank", "%20", _NOT_THERE),
    Bad("two thousand letters", "x" * 2_000, _NO_ROUTE),
    Bad("sixty thousand letters", "x" * 60_000, _NO_ROUTE),
    Bad("encoded twice", "%2500", _NOT_THERE),
    Bad("not encoded", "%zz%", _NOT_THERE),
    Bad("parameters", "acme;a=b", _NOT_THERE),
    Bad("slashes", "..%2f..%2f..%2fetc%2fpasswd", _NO_ROUTE),
    Bad("nothing", ""),
)
"""In place of one segment of a path; the others are right."""

NAMES = (
    *("q", "city", "country", "employmentType", "locationType", "near", "within", "sort", "after", "limit", "lang"),
    *("v", "key", "token", "job", "to", "again", "every", "callback", "content", "questions", "mode", "group", "skip"),
    *("domain", "said", "page", "stage", "in", "kind", "locale", "state", "tenant", "from", "before", "reference"),
    *("cursor", "companyId", "templateId", "utm_source", "ref"),
)
"""Parameters of queries that some route reads."""


def _everywhere(value: str) -> str:
    return "&".join(f"{name}={value}" for name in NAMES)


QUERIES = (
    Bad("nul", _everywhere("%00")),
    Bad("not utf-8", _everywhere("%ff%fe")),
    Bad("surrogate", _everywhere("%ed%a0%80")),
    Bad("overlong", _everywhere("%c0%af")),
    Bad("line break", _everywhere("%0d%0aX-Hostile:%201")),
    Bad("big number", _everywhere("9" * 400)),
    Bad("negative", _everywhere("-1")),
    Bad("not a number", _everywhere("NaN")),
    Bad("infinite", _everywhere("1e999")),
    Bad("other digits", _everywhere("%d9%a1%d9%a2")),
    Bad("superscript digit", _everywhere("%c2%b2")),
    Bad("sql", _everywhere("%27%20OR%201=1--%20%25_%5c")),
    Bad("markup", _everywhere("%22%3E%3Csvg%20onload=hostile%3E")),
    Bad("address", _everywhere("javascript:alert(1)//https://evil.example")),
    Bad("bidirectional", _everywhere("%e2%80%ae")),
    Bad("combining marks", _everywhere("a" + "%cc%81" * 100)),
    Bad("empty", _everywhere("")),
    Bad("each given 30 times", "&".join([_everywhere("x")] * 30)),
    Bad("long", "q=" + "x" * 60_000),
    Bad("long in each", _everywhere("x" * 1_500)),
    Bad("many parameters", "a=1&" * 10_000),
    Bad("many of one", "city=Berlin&" * 5_000),
    Bad("only separators", "&" * 5_000 + "=" * 5_000),
    Bad("not encoded", "%zz=%&%=%1"),
    Bad("raw bytes", "q=\xff\xfe\x80&\xe9=\xe9"),
    Bad("raw control", "q=\x01\x1b[31m&lang=\x0b"),
    Bad("brackets", "q[]=1&q[$ne]=1&__proto__[x]=1"),
    Bad("long name", "x" * 20_000 + "=1"),
    Bad("strange language", "lang=../../etc/passwd"),
    Bad("words of a search", "q=" + "%22(" * 500 + "a*%20AND%20NOT%20:*%20%7C%20!"),
    Bad("many words", "q=" + "ab%20" * 4_000),
)
"""Whole queries; most give each name in NAMES the same bad value, so that a route meets it wherever it reads one."""


class BadHeader(NamedTuple):
    """A header. None in `value` leaves it out."""

    name: str
    header: str
    value: str
    expected: Statuses = ANYTHING


_MANY_TAGS = ",".join(f'"{number:x}"' for number in range(1_000))
HEADERS = (
    BadHeader("accept: not a number", "Accept", "text/html;q=NaN, */*;q=-1, a/b;q=1e999"),
    BadHeader("accept: long", "Accept", "text/html," * 3_000),
    BadHeader("accept: bytes", "Accept", "\xff\xfe;\x80"),
    BadHeader("language: long", "Accept-Language", "en-" * 5_000),
    BadHeader("language: many", "Accept-Language", ",".join(f"x{n};q=0.{n % 10}" for n in range(2_000))),
    BadHeader("language: not a number", "Accept-Language", "de;q=NaN, en;q=1e999, fr;q=--"),
    BadHeader("language: path", "Accept-Language", "../../../etc/passwd, \x00"),
    BadHeader("language: bytes", "Accept-Language", "\xed\xa0\x80, \xc0\xaf"),
    BadHeader("encoding: not a number", "Accept-Encoding", "br;q=NaN, gzip;q=-1, *;q=1e999"),
    BadHeader("encoding: long", "Accept-Encoding", "gzip;q=0.1," * 3_000),
    BadHeader("etag: half", "If-None-Match", '"abc, W/"'),
    BadHeader("etag: many", "If-None-Match", _MANY_TAGS),
    BadHeader("etag: bytes", "If-None-Match", '"\xff\xfe", W/"\x00"'),
    BadHeader("etag: long", "If-None-Match", '"' + "a" * 15_000 + '"'),
    BadHeader("if-match", "If-Match", '"nobody has this"'),
    BadHeader("date: no date", "If-Modified-Since", "yesterday, at about noon"),
    BadHeader("date: far", "If-Modified-Since", "Thu, 01 Jan 99999 00:00:00 GMT"),
    BadHeader("date: impossible", "If-Unmodified-Since", "Mon, 99 Zzz -001 99:99:99 +9999"),
    BadHeader("range: backwards", "Range", "bytes=5-1"),
    BadHeader("range: big", "Range", "bytes=" + "9" * 500 + "-"),
    BadHeader("range: many", "Range", "bytes=" + "0-0," * 1_000 + "0-"),
    BadHeader("range: other unit", "Range", "lines=1-2"),
    BadHeader("range: negative", "Range", "bytes=--1"),
    BadHeader("if-range", "If-Range", '"x", Thu, 99 Jan'),
    BadHeader("type of no body", "Content-Type", "multipart/form-data; boundary=" + "x" * 500),
    BadHeader("type: bytes", "Content-Type", "\xff/\x80; charset=\xfe"),
    BadHeader("length: negative", "Content-Length", "-1"),
    BadHeader("length: no number", "Content-Length", "1e3"),
    BadHeader("length: five thousand digits", "Content-Length", "9" * 5_000),
    BadHeader("length: other digits", "Content-Length", "\xb2"),
    BadHeader("encoding of a body", "Content-Encoding", "gzip, br, zstd"),
    BadHeader("transfer", "Transfer-Encoding", "gzip, chunked, identity"),
    BadHeader("another method", "X-HTTP-Method-Override", "DELETE"),
    BadHeader("another address", "X-Original-URL", "/metrics"),
    BadHeader("credentials", "Authorization", "Basic \xff\xfe"),
    BadHeader("credentials: long", "Authorization", "Bearer " + "x" * 15_000),
    BadHeader("referer", "Referer", "javascript:alert(1)//\x00"),
    BadHeader("referer: no address", "Referer", "http://[::1/%zz" + "x" * 5_000),
    BadHeader("origin: no address", "Origin", "http://[evil"),
    BadHeader("fetch", "Sec-Fetch-Site", "\x00cross-site" * 100),
    BadHeader("agent", "User-Agent", "() { :;}; echo ${jndi:ldap://evil} \x1b[31m\xff"),
    BadHeader("agent: long", "User-Agent", "x" * 15_000),
    BadHeader("request id", "X-Request-ID", "a\nb" * 500),
    BadHeader("trace", "traceparent", "00-" + "f" * 500 + "-zz"),
    BadHeader("key", "x-api-key", "trk_\x00\xff" + "x" * 5_000),
    BadHeader("idempotency: bytes", "Idempotency-Key", "\x00\xff"),
    BadHeader("idempotency: long", "Idempotency-Key", "x" * 15_000),
    BadHeader("expectation", "Expect", "200-maybe"),
    BadHeader("disposition", "Content-Disposition", "attachment; filename*=UTF-8''%ff%00..%2f..%2f" + "%41" * 3_000),
    BadHeader("host: somebody's", "Host", "evil.example"),
    BadHeader("host: none", "Host", ""),
    BadHeader("host: user", "Host", "127.0.0.1:8000@evil.example"),
    BadHeader("host: half an address", "Host", "[::1"),
    BadHeader("host: port", "Host", "127.0.0.1:999999999"),
    BadHeader("host: markup", "Host", '"><svg onload=hostile>'),
    BadHeader("host: long", "Host", "x" * 5_000),
    BadHeader("host: bytes", "Host", "\xff\xfe.example"),
    BadHeader("forwarded host", "X-Forwarded-Host", "evil.example"),
    BadHeader("forwarded for", "X-Forwarded-For", "127.0.0.1, \x00, ::ffff:127.0.0.1%eth0" + ", 1.1.1.1" * 500),
    BadHeader("forwarded scheme", "X-Forwarded-Proto", "javascript"),
    BadHeader("forwarded", "Forwarded", 'for="[::1]:x";host=evil.example;proto=\x00'),
)

COOKIES = (
    Bad("forged", "session-acme={t}; asked-acme={t}; hiring-acme={t}; hiring-asked-acme={t}".format(t="A" * 43)),
    Bad("nul", "session-acme=\x00; hiring-acme=\x00; asked-acme=\x00"),
    Bad("bytes", "session-acme=\xff\xfe{0}; hiring-acme=\xff\xfe{0}; hiring-asked-acme=\xff{0}".format("x" * 30)),
    Bad("long", "session-acme=" + "x" * 15_000 + "; hiring-acme=" + "x" * 15_000),
    Bad("many", "; ".join(f"c{number}={number}" for number in range(2_000))),
    Bad("twice", "; ".join(["session-acme=" + "B" * 43 + "; hiring-acme=" + "C" * 43] * 50)),
    Bad("half a quote", 'session-acme="' + "\\" * 500 + '; hiring-acme="\\'),
    Bad("octal", 'session-acme="\\000\\377\\777' + "x" * 30 + '"; hiring-acme="\\000\\377"'),
    Bad("only separators", ";=" * 4_000),
    Bad("no name", "=x; ; =; $Version=1; $Path=/"),
    Bad("reserved names", "__Host-session-acme=" + "D" * 43 + "; __Secure-hiring-acme=" + "D" * 43 + "; session=x"),
)
"""Whole Cookie headers, in place of a session's."""

_NO_METHOD = one_of(404, 405)
METHODS = (
    Bad("put", "PUT", _NO_METHOD),
    Bad("patch", "PATCH", _NO_METHOD),
    Bad("delete", "DELETE", _NO_METHOD),
    Bad("trace", "TRACE", _NO_METHOD),
    Bad("connect", "CONNECT", _NO_METHOD),
    Bad("propfind", "PROPFIND", _NO_METHOD),
    Bad("lower case", "get"),  # Flask treats it as GET
    Bad("unknown", "HOSTILE", _NO_METHOD),
    Bad("long", "X" * 2_000, _NO_METHOD),
    Bad("markup", "<svg", _NO_METHOD),
)

PARAMETERS = (
    Bad("nul", "%00"),
    Bad("not utf-8", "%ff%fe"),
    Bad("surrogate", "%ed%a0%80"),
    Bad("raw byte", "\xff"),
    Bad("nothing", ""),
    Bad("negative", "-1"),
    Bad("nought", "0"),
    Bad("big number", "9" * 400),
    Bad("as large as an index", "9223372036854775808"),
    Bad("power", "1e3"),
    Bad("not a number", "NaN"),
    Bad("half", "1.5"),
    Bad("other digits", "%d9%a1"),
    Bad("base64 of nothing", "PT09PQ=="),
    Bad("base64 cut off", "MDAwNjU2ZmY"),
    Bad("forged cursor", "MDAwNjU2ZmYwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAw"),
    Bad("year ten thousand", "99999-12-31T23:59:59Z"),
    Bad("year nought", "0000-01-01T00:00:00Z"),
    Bad("impossible day", "2026-02-30T00:00:00Z"),
    Bad("far time zone", "2026-03-01T00:00:00+99:99"),
    Bad("sql", "'%20OR%201=1--"),
    Bad("long", "x" * 20_000),
    Bad("a list", "1&{name}=2"),
)
"""Values of the one parameter that a route reads to go on from a place, or to bound a page."""

NUL, UNREADABLE, HUGE, ODD = "nul", "unreadable", "huge", "odd"
"""Kinds of texts: what no database stores; what no text may hold; more than any form takes; what may be a text, and
does no harm.
"""


class BadText(NamedTuple):
    """A text of a form's field. raw: its bytes."""

    name: str
    kind: str
    raw: bytes


TEXTS = (
    BadText("nul", NUL, b"\0"),
    BadText("nul inside", NUL, b"a\0b"),
    BadText("not utf-8", UNREADABLE, b"\xff\xfea"),
    BadText("overlong", UNREADABLE, b"\xc0\xafa"),
    BadText("surrogate", UNREADABLE, b"\xed\xa0\x80"),
    BadText("control", UNREADABLE, b"a\x1b[31m\x07b"),
    BadText("twenty thousand letters", ODD, b"x" * 20_000),
    BadText("two megabytes", HUGE, b"x" * 2_000_000),
    BadText("marks without end", ODD, b"a" + "\u0301".encode() * 5_000),
    BadText("bidirectional", ODD, "a\u202eb\u2067".encode()),
    BadText("line break", ODD, b"a\r\nX-Hostile: 1\r\n\r\n"),
    BadText("markup", ODD, b"\"'><svg onload=hostile></textarea>"),
    BadText("sql", ODD, b"' OR '1'='1'; DROP TABLE candidates;-- %_\\"),
    BadText("template", ODD, b"{{7*7}}${7*7}%(x)s{0.__class__}"),
    BadText("big number", ODD, b"9" * 400),
    BadText("negative", ODD, b"-1"),
    BadText("not a number", ODD, b"NaN"),
    BadText("other digits", ODD, "١٢٣٤٥٦٧٨".encode()),
    BadText("formula", ODD, b"=cmd|'/c calc'!A1"),
    BadText("nothing", ODD, b""),
    BadText("utf-7", ODD, b"+ADw-script+AD4-"),
    BadText("emoji", ODD, "\U0001f3f4\U000e0067\U000e0062\U000e007f\U0001f468\u200d\U0001f469\ufdfd".encode()),
)
