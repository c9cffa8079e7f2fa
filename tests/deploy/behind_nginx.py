"""Runs deploy/nginx/portal.conf over TLS in front of two servers, with browsers that resolve its names."""

import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from portal.tracker import loading
from tests.journeys.two_servers_and_workers import CLOCK, Fleet, fleet
from tests.parts.nginx import certificate, running_nginx, substituted
from tests.parts.postgres import Postgres
from tests.parts.process import free_port
from tests.site.account.candidate import candidate

SAMPLE = Path(__file__).parents[2] / "deploy" / "nginx"
PORTAL, OWN = "portal.example", "careers.acme.example"
ORIGIN = f"https://{PORTAL}"
LIMIT = 10_485_760
"""PORTAL_MAX_CV_BYTES, as it is without being set."""
_MORE = f"""
[site]
hosts = ["{OWN}"]
[embed]
origins = ["https://www.acme.example"]
"""


@dataclass
class Proxied:
    """The proxy and the servers behind it."""

    fleet: Fleet
    proxy: "Behind"


@dataclass
class Behind:
    """home: nginx's folder. tls, plain: the ports it listens on."""

    home: Path
    tls: int
    plain: int
    opened: list[httpx.Client] = field(default_factory=list)

    def browser(self, **headers: str) -> httpx.Client:
        """Return a browser that resolves the sample's names to this proxy and trusts only the test's certificate."""
        line = NamedTransport(self, ssl.create_default_context(cafile=str(self.home / "fullchain.pem")))
        made = httpx.Client(transport=line, base_url=ORIGIN, headers=headers, timeout=60)
        self.opened.append(made)
        return made

    @property
    def log(self) -> str:
        """Return all log lines of nginx, including its own messages."""
        return "".join(path.read_text() for path in self.home.glob("*.log"))


class NamedTransport(httpx.HTTPTransport):
    """Sends every request to the proxy, whatever its host. address: local source address of the requests."""

    def __init__(self, behind: Behind, trusted: ssl.SSLContext, address: str | None = None) -> None:
        super().__init__(verify=trusted, http2=False, local_address=address)
        self._ports = {"https": behind.tls, "http": behind.plain}

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The host name determines certificate and cookies, as usual; only its address is replaced."""
        name = request.url
        request.extensions["sni_hostname"] = name.host
        request.url = name.copy_with(host="127.0.0.1", port=self._ports[name.scheme])
        try:
            return super().handle_request(request)
        finally:
            request.url = name


@contextmanager
def nginx(home: Path, servers: tuple[int, int]) -> Iterator[Behind]:
    """Run the sample in front of these two ports."""
    home.mkdir()
    made = Behind(home, free_port(), free_port())
    certificate(home, PORTAL, OWN)
    changes = {
        "127.0.0.1:8000": f"127.0.0.1:{servers[0]}",
        "127.0.0.1:8010": f"127.0.0.1:{servers[1]}",
        "listen 80": f"listen 127.0.0.1:{made.plain}",
        "listen [::]:80": f"listen [::1]:{made.plain}",
        "listen 443": f"listen 127.0.0.1:{made.tls}",
        "listen [::]:443": f"listen [::1]:{made.tls}",
        "/etc/ssl/portal/": f"{home}/",
        "/var/log/nginx/": f"{home}/",
        "/usr/share/portal/pages/": f"{SAMPLE / 'pages'}/",
        "/var/www/acme": f"{home}/acme",
    }
    sample = substituted((SAMPLE / "portal.conf").read_text(), changes)
    with running_nginx(home, sample, port=made.tls):
        yield made
        for browser in made.opened:
            browser.close()


@contextmanager
def proxied(folder: Path, postgres: Postgres) -> Iterator[Proxied]:
    """Run two servers, two workers and the service behind the proxy; Acme has its own host, and Ada a profile there."""
    settings = {"PORTAL_BASE_URL": ORIGIN, "PORTAL_TRUSTED_PROXIES": "1", "PORTAL_SYNC_INTERVAL": "1"}
    with fleet(folder / "fleet", postgres, **settings) as made:
        file = made.folder / "tenants" / "acme.toml"
        file.write_text(file.read_text() + _MORE)
        loading.load(made.tracker, CLOCK, "acme", [candidate()])
        ports = tuple(int(each.rpartition(":")[2]) for each in made.servers)
        with nginx(folder / "nginx", (ports[0], ports[1])) as behind:
            yield Proxied(made, behind)
