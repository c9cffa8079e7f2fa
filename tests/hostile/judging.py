"""Sends one request through WSGI as the server would, and checks the response."""

import io
import re
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import unquote_to_bytes, urlsplit

import psutil

CPU_MOST = 1.0
"""Seconds."""
REFUSAL_MOST = 65_536
"""Bytes of an answer that refuses; a page, a script or a list that was rightly asked for may be longer."""
GIVEN_BACK_MOST = 2 * REFUSAL_MOST
"""Bytes of a page that gives a form back, with everything that was typed and with what else is on that page."""
_ROOT = str(Path(__file__).parents[2])
_INTERNALS = re.compile(
    r"Traceback \(most recent|File \"[^\"]+\", line \d|/\w+\.py\b|/site-packages/|/dev/shm|/tmp/|/usr/|/home/"
    r"|/etc/passwd"
    r"|\b(?i:sqlalchemy|psycopg|sqlite3?|postgresql|werkzeug|flask|jinja2?|granian|pydantic|wtforms|alembic|boto3?)\b"
    r"|\bSELECT\s[^<]{1,300}\sFROM\b|\bINSERT\s+INTO\b|\bUPDATE\s\w+\sSET\b|\bDELETE\s+FROM\b|\bPRAGMA\b"
    r"|\bportal\.(?:site|tracker|platform|delivery|people|jobs|tenants|gateway|adapters|operations|background)\b"
    r"|\b(?:Key|Type|Value|Index|Name|Attribute|Unicode\w+|Runtime|Recursion|OS|Integrity|Operational|Programming|Data|"
    r"Validation|JSONDecode)Error\b|\bPython/\d|<class '|object at 0x"
)
"""What tells a stranger how the product is made: a traceback, SQL, a file's path, a module's name, a version."""
_RAW_MARKUP = b"<svg onload=hostile"


@dataclass(frozen=True, slots=True)
class Asked:
    """One request. path: percent-encoded. app: a WSGI application at http://127.0.0.1:{port}."""

    app: Callable[..., Iterable[bytes]]
    port: int
    method: str
    path: str
    query: str = ""
    headers: tuple[tuple[str, str], ...] = ()
    body: bytes | None = None
    peer: str = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Answer:
    """cpu: seconds of this process and of those that it started."""

    status: int
    headers: list[tuple[str, str]]
    body: bytes = field(repr=False)
    cpu: float

    def header(self, name: str) -> str:
        return next((value for one, value in self.headers if one.lower() == name.lower()), "")

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")


def environ_of(asked: Asked) -> dict[str, Any]:
    environ: dict[str, Any] = {
        "REQUEST_METHOD": asked.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(asked.path).decode("latin-1"),
        "QUERY_STRING": asked.query,
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": str(asked.port),
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": asked.peer,
        "HTTP_HOST": f"127.0.0.1:{asked.port}",
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": io.BytesIO(asked.body or b""),
        "wsgi.errors": io.StringIO(),
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    if asked.body is not None:
        environ["CONTENT_LENGTH"] = str(len(asked.body))
    for name, value in asked.headers:
        key = name.upper().replace("-", "_")
        environ[key if key in {"CONTENT_TYPE", "CONTENT_LENGTH"} else f"HTTP_{key}"] = value
    return environ


def ask(asked: Asked, *, with_children: bool = False) -> Answer:
    """Return what an application answers. with_children: also count what the processes spend that it has started."""
    told: list[tuple[str, list[tuple[str, str]]]] = []

    def start(status: str, headers: list[tuple[str, str]], exc_info: object = None) -> Callable[[bytes], object]:
        told.append((status, headers))
        return lambda _: None

    environ = environ_of(asked)
    before = _spent(with_children)
    pages = asked.app(environ, start)
    body = b"".join(pages)
    if close := getattr(pages, "close", None):
        close()
    status, headers = told[-1]
    return Answer(int(status[:3]), headers, body, _spent(with_children) - before)


def _spent(with_children: bool) -> float:
    if not with_children:
        return time.process_time()
    times = psutil.Process().cpu_times()
    children = 0.0
    for child in psutil.Process().children(recursive=True):
        try:
            children += sum(child.cpu_times()[:2])
        except psutil.NoSuchProcess:
            continue
    return sum(times[:4]) + children


def faults(asked: Asked, answer: Answer, expected: Iterable[int], secrets: Iterable[bytes]) -> list[str]:
    """Return the violations of a response, in words; empty if there are none."""
    found = []
    if answer.status not in set(expected):
        found.append(f"is answered with {answer.status}")
    if answer.cpu > CPU_MOST:
        found.append(f"costs {answer.cpu:.1f} s of CPU")
    gives_back = answer.status in {409, 422} and b"<form" in answer.body
    if answer.status >= 400 and len(answer.body) >= (GIVEN_BACK_MOST if gives_back else REFUSAL_MOST):
        found.append(f"is refused with {len(answer.body)} bytes")
    heads = "".join(f"{name}: {value}\n" for name, value in answer.headers)
    if any(secret in answer.body or secret.decode() in heads for secret in secrets):
        found.append("tells a secret")
    if answer.status >= 400 and (shown := disclosed_internals(answer.text + heads)):
        found.append(f"tells of its inside: {shown!r}")
    if _ROOT in answer.text:
        found.append("tells where it is installed")
    if _RAW_MARKUP in answer.body and re.search("html|xml|svg", answer.header("Content-Type") or "html"):
        found.append("repeats markup as markup")
    if answer.header("X-Hostile") or any(set("\r\n\0") & set(name + value) for name, value in answer.headers):
        found.append("has a header of the sender's")
    leads = urlsplit(answer.header("Location"))
    if leads.netloc not in {"", f"127.0.0.1:{asked.port}"}:
        found.append(f"leads to {leads.netloc}")
    return found


def disclosed_internals(said: str) -> str:
    """Return the part of a response that reveals internals of the product, or ""; URLs of styles are ignored."""
    shown = _INTERNALS.search(re.sub(r'(?:href|src)="[^"]*"', "", said))
    return shown[0][:80] if shown else ""
