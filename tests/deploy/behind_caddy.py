"""Runs deploy/caddy/Caddyfile in front of two servers, with the test's certificate instead of a fetched one."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.deploy.behind_nginx import OWN, PORTAL, SAMPLE, Behind
from tests.parts import missing
from tests.parts.nginx import certificate, substituted
from tests.parts.process import accepts, free_port, running

FILE = SAMPLE.parent / "caddy" / "Caddyfile"
NEWEST, DEBIANS = Path(sys.executable).parent / "caddy", Path("/usr/bin/caddy")


def there(program: Path) -> str:
    """Return the path of the program, or skip the test with a message on how to get it."""
    return str(missing.file(program, how="apt-get install caddy"))


@contextmanager
def caddy(home: Path, servers: tuple[int, int], *, program: Path = NEWEST) -> Iterator[Behind]:
    """Run the sample in front of these two ports. program: the newest Caddy, or Debian's."""
    home.mkdir()
    made = Behind(home, free_port(), free_port())
    certificate(home, PORTAL, OWN)
    ours = f"admin off\n\tdefault_bind 127.0.0.1\n\thttp_port {made.plain}\n"
    ours += f"\thttps_port {made.tls}\n"
    changes = {
        "reverse_proxy 127.0.0.1:8000 127.0.0.1:8010": f"reverse_proxy 127.0.0.1:{servers[0]} 127.0.0.1:{servers[1]}",
        "{\n\ton_demand_tls": f"{{\n\t{ours}\ton_demand_tls",
        f"\n{PORTAL} {{\n": f"\n{PORTAL} {{\n\ttls {home}/fullchain.pem {home}/privkey.pem\n",
        "/usr/share/portal/pages": str(SAMPLE / "pages"),
    }
    (home / "Caddyfile").write_text(substituted(FILE.read_text(), changes))
    command = [there(program), "run", "--adapter", "caddyfile", "--config"]
    folders = {"XDG_DATA_HOME": str(home), "XDG_CONFIG_HOME": str(home), "HOME": str(home)}
    log = home / "caddy.log"
    with running([*command, str(home / "Caddyfile")], log=log, ready=lambda: accepts(made.tls), env=folders):
        yield made
        for browser in made.opened:
            browser.close()
