"""A fake internet: URLs with their responses, and image files."""

from collections.abc import Callable
from dataclasses import dataclass, field
from io import BytesIO

import httpx
from PIL import Image

LOGO = "https://www.acme.example/logo.svg"
COVER = "https://www.acme.example/cover.jpg"


@dataclass
class Internet(httpx.BaseTransport):
    """pages: URL → response. asked: every requested URL. service: behind 127.0.0.1."""

    pages: dict[str, Callable[[], httpx.Response]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    service: httpx.BaseTransport | None = None

    def has(self, address: str, content: bytes = b"", status: int = 200, **headers: str) -> None:
        self.pages[address] = lambda: httpx.Response(status, stream=httpx.ByteStream(content), headers=headers)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self.service and request.url.host == "127.0.0.1":
            return self.service.handle_request(request)
        self.asked.append(str(request.url))
        known = self.pages.get(str(request.url))
        if known is None:
            raise httpx.ConnectError("Name or service not known")
        return known()


def svg(inner: str = '<path d="M0 0h9v9z"/>', **attributes: str) -> bytes:
    given = {"viewBox": "0 0 120 40", **attributes}
    said = "".join(f' {name}="{value}"' for name, value in given.items())
    links = 'xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"'
    return f"<svg {links}{said}>{inner}</svg>".encode()


def photo(width: int = 400, height: int = 300, kind: str = "PNG", *, mode: str = "RGB", **options: object) -> bytes:
    out = BytesIO()
    Image.new(mode, (width, height), {"1": 1, "RGBA": "#0b5fff80"}.get(mode, "#0b5fff")).save(out, kind, **options)
    return out.getvalue()
