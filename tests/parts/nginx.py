"""A private nginx that runs a sample of deploy/ unchanged except for the test's ports, paths and names."""

import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from tests.parts.missing import program
from tests.parts.process import accepts, running

HOW = "apt-get install nginx-light"
AROUND = """user {user};
worker_processes 2;
daemon off;
pid {home}/nginx.pid;
error_log stderr notice;
events {{ worker_connections 512; }}
http {{
    client_body_temp_path {home}/body;
    proxy_temp_path {home}/proxy;
    fastcgi_temp_path {home}/fastcgi;
    uwsgi_temp_path {home}/uwsgi;
    scgi_temp_path {home}/scgi;
    types {{ text/html html; }}
    include {home}/portal.conf;
}}
"""


def certificate(folder: Path, *names: str) -> None:
    """Write `privkey.pem` and `fullchain.pem` for these names, signed by a new authority, `authority.pem`."""
    openssl = program("openssl", how="apt-get install openssl")

    def sign(name: str, *options: str) -> str:
        files = ["-keyout", str(folder / f"{name}key.pem"), "-out", str(folder / f"{name}.pem")]
        command = [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        subprocess.run([*command, *files, *options], check=True, capture_output=True, timeout=60)
        return (folder / f"{name}.pem").read_text()

    extensions = ["basicConstraints=critical,CA:FALSE", "extendedKeyUsage=serverAuth"]
    extensions.append("subjectAltName=" + ",".join(f"DNS:{name}" for name in names))
    above = sign("authority", "-subj", "/CN=authority", "-days", "2", "-addext", "keyUsage=critical,keyCertSign")
    signed = ["-CA", str(folder / "authority.pem"), "-CAkey", str(folder / "authoritykey.pem"), "-days", "2"]
    own = sign("priv", "-subj", "/CN=test", *signed, *(word for each in extensions for word in ("-addext", each)))
    (folder / "fullchain.pem").write_text(own + above)


def substituted(text: str, changes: Mapping[str, str]) -> str:
    """Return the sample with replacements; each replaced text must occur in it, to detect changes of the sample."""
    for old, new in changes.items():
        assert old in text, f"the sample has no {old!r}"
        text = text.replace(old, new)
    return text


def objections(home: Path) -> str:
    """Return the errors of `nginx -t` for a configuration; empty if it is valid."""
    done = subprocess.run(_command(home, "-t", "-q"), capture_output=True, text=True, timeout=60, check=False)
    return done.stdout + done.stderr


@contextmanager
def running_nginx(home: Path, sample: str, *, port: int) -> Iterator[int]:
    """Run it within the block, which gets the process id. port: one that it listens on."""
    written(home, sample)
    with running(_command(home), log=home / "nginx.log", ready=lambda: accepts(port)) as process:
        yield process.pid


def written(home: Path, sample: str) -> None:
    """Write the sample into a complete nginx.conf."""
    (home / "portal.conf").write_text(sample)
    (home / "nginx.conf").write_text(AROUND.format(home=home, user="root"))


def _command(home: Path, *words: str) -> list[str]:
    return [program("nginx", how=HOW), "-p", str(home), "-c", str(home / "nginx.conf"), "-e", "stderr", *words]
