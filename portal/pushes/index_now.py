"""IndexNow: one request tells several search engines of up to 10,000 addresses of one host.

The key is public: it stands in a file at the site, which shows that we may speak for it.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from portal.pushes.exchange import Line

ENDPOINT = "https://api.indexnow.org/indexnow"


@dataclass(frozen=True, slots=True)
class IndexNow:
    """endpoint: any search engine's that takes part; each hands on to the others."""

    line: Line
    endpoint: str = ENDPOINT

    def tell(self, key: str, key_file: str, addresses: Sequence[str]) -> None:
        """That these pages changed or are gone. key_file: where the key is served. Raises leaves of UpstreamError."""
        host = urlsplit(key_file).netloc
        body = {"host": host, "key": key, "keyLocation": key_file, "urlList": list(addresses)}
        headers = {"Content-Type": "application/json; charset=utf-8"}
        self.line.post(self.endpoint, json.dumps(body).encode(), headers)
