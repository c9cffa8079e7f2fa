"""Writes the files of `portal init` into a folder: either all of them or none, and never over existing ones."""

import grp
import os
import pwd
import re
import secrets
import shlex
import sys
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import urlsplit

from portal.contract.bounds import SLUG
from portal.gateway.metrics_access import is_loopback
from portal.platform.config import private_files
from portal.platform.config.private_files import folder
from portal.platform.errors import SettingsError
from portal.tenants.toml import parse

VARIABLES_BY_FLAG = {
    "base_url": "PORTAL_BASE_URL",
    "proxies": "PORTAL_TRUSTED_PROXIES",
    "database": "PORTAL_DATABASE_URL",
    "attachments": "PORTAL_ATTACHMENTS",
    "s3_endpoint": "PORTAL_S3_ENDPOINT",
    "mail": "PORTAL_MAIL",
    "rate_limits": "PORTAL_RATE_LIMITS",
    "scanner": "PORTAL_SCANNER",
    "service_database": "TRACKER_DATABASE_URL",
}
_SYNC_INTERVAL = "3"
"""Seconds between passes where the service runs here: a job is public 5 s after a colleague published it."""
_OMITTED = {"aws", "none"}
"""Answers that set nothing."""
_HEAD = """\
# Portal settings, for systemd (EnvironmentFile=) and for a shell: set -a; . {file}; set +a
# All settings and what they mean: see the settings table in the README.
"""
_HOMES = ("/home", "/root")
"""Folders that a unit with ProtectHome=yes cannot access."""
_LOWEST_PORT = 1024
"""The lowest port that needs no privilege."""
_PLAIN_PATH = re.compile(r"/[A-Za-z0-9/_.+@-]+")


def unquotable(text: str) -> str | None:
    """Return why a value cannot be written so that systemd and shells read it alike, or None if it can."""
    if re.search(r"['\\\x00-\x1f\x7f]", text):
        return "expected no quotes, backslashes or control characters: in a URL, write them as %27, %5C, %0A"
    return None


def wrong_slug(text: str) -> str | None:
    """Return what is wrong with a slug, or None."""
    return None if SLUG.fullmatch(text) else "expected a-z, 0-9 and -, at most 50 characters, not starting with -"


def wrong_name(text: str) -> str | None:
    """Return what is wrong with a company name, or None."""
    return _wrong_in_file({"name": text}, "name")


def wrong_service(text: str) -> str | None:
    """Return what is wrong with the tracking service's URL, or None."""
    return _wrong_in_file({"service": text}, "tracker.base_url")


def wrong_key(text: str) -> str | None:
    """Return what is wrong with a key reference, or None. The key itself may be missing at this point."""
    if not re.fullmatch(r"env:[A-Za-z_][A-Za-z0-9_]*|file:[^\"\\\s]+", text):
        return "expected env:NAME or file:PATH, not the key itself"
    return None


def _wrong_in_file(answers: Mapping[str, str], key: str) -> str | None:
    usual = {"name": "A", "service": "https://a.example", "key": "env:A"}
    try:
        parse("a", _tenant({**usual, **answers}), read_secret=lambda _: "k")
    except SettingsError as error:
        return str(error).partition(f"{key}: ")[2] or "expected one line of text"
    return None


def require_new(home: Path) -> None:
    """Raise SettingsError if the folder already has settings, or systemd could not read its path."""
    if not _PLAIN_PATH.fullmatch(str(home)):
        raise SettingsError(f"{home}: expected a path of letters, digits and / _ . + @ -, because systemd reads it")
    there = [name for name in ("settings.env", "tenants", "units") if (home / name).exists()]
    if there:
        raise SettingsError(
            f"{home} already has {', '.join(there)}, so nothing was changed: edit what is there "
            f"(PORTAL_… in {home}/settings.env, companies in {home}/tenants) and continue with "
            f"`{command_line(home, 'db upgrade && portal check')}`, or choose another folder"
        )


def write(home: Path, answers: Mapping[str, str]) -> dict[str, str]:
    """Write all files, the settings last, and return the settings. On failure, remove whatever was written."""
    slug = answers["tenant"]
    given = {name: answers[key] for key, name in VARIABLES_BY_FLAG.items() if answers.get(key, "none") not in _OMITTED}
    settings = {
        "PORTAL_HOME": str(home),
        "PORTAL_SECRET_KEY": secrets.token_hex(32),
        "PORTAL_TENANTS": "tenants",
        "PORTAL_METRICS_TOKEN": secrets.token_hex(16),
        **given,
    }
    if "TRACKER_DATABASE_URL" in settings:
        settings["PORTAL_SYNC_INTERVAL"] = _SYNC_INTERVAL
        settings["TRACKER_SECRET_KEY"] = secrets.token_hex(32)
        settings["TRACKER_MAIL"] = settings["PORTAL_MAIL"]
    files = {f"units/{name}": text for name, text in units(home, answers).items()}
    files[f"tenants/{slug}.toml"] = _tenant(answers)
    files["settings.env"] = _HEAD.format(file=home / "settings.env") + "".join(
        f"{name}={_quoted(value)}\n" for name, value in settings.items()
    )
    with ExitStack() as undo:
        for name, text in files.items():
            _make_folder((home / name).parent, undo)
            undo.callback((home / name).unlink, missing_ok=True)
            private_files.write(home / name, text)
        if answers["key"] == f"file:keys/{slug}":
            _make_folder(home / "keys", undo)
        undo.pop_all()
    return settings


def service_database(answers: Mapping[str, str]) -> str | None:
    """Return the default address of the service's database, beside the portal's, if the service runs on this host."""
    if not is_loopback(urlsplit(answers["service"]).hostname or ""):
        return None
    if answers["database"].startswith("sqlite"):
        return "sqlite:///tracker.db"
    server, _, query = answers["database"].partition("?")
    return f"{server.rpartition('/')[0]}/tracker{'?' if query else ''}{query}"


def command_line(home: Path, command: str) -> str:
    """Return the shell command that runs a `portal` command with these settings."""
    return f"set -a; . {home}/settings.env; set +a; portal {command}"


def next_steps(home: Path, answers: Mapping[str, str], *, lacks_schema: bool, has_key: bool) -> list[str]:
    """Return the remaining steps, in order. lacks_schema: the database was unusable. has_key: the API key is stored."""
    port = _port(answers["base_url"], usual=8000)
    copied = f"cp -r {home}/units/. /etc/systemd/system/ && systemctl daemon-reload"
    runs_here = answers.get("service_database", "none") != "none"
    started = f"{'portal-tracker ' if runs_here else ''}portal-serve@{port} portal-worker@1"
    database = (
        f"the database: fix the problem reported above, or correct PORTAL_DATABASE_URL in {_line(home, 'database')}"
    )
    return [
        *([f"{database}; then `{command_line(home, 'db upgrade')}`"] if lacks_schema else []),
        *([] if has_key else [_key_step(home, answers, runs_here=runs_here)]),
        f"install the services, as root: {copied} && systemctl enable --now {started}",
        f"check them: `{command_line(home, 'check')}`",
        *([_colleague_step(home, answers)] if runs_here else []),
        _way_in(home, answers["base_url"], port),
    ]


def _key_step(home: Path, answers: Mapping[str, str], *, runs_here: bool) -> str:
    kind, _, where = answers["key"].partition(":")
    if not runs_here:
        key = f"{home / where}, chmod 600" if kind == "file" else f"{where}= in {home}/settings.env"
        return f"put {answers['name']}'s API key in {key}"
    tenant = command_line(home, f"tracker tenant add {answers['tenant']} {shlex.quote(answers['name'])}")
    made = f"portal tracker key create {answers['tenant']}"
    step = f"(umask 077; {made} > {home / where})" if kind == "file" else f"{made}, {where}= in {home}/settings.env"
    return f"add {answers['name']} to the service and store its API key: {tenant}; {step}"


def _colleague_step(home: Path, answers: Mapping[str, str]) -> str:
    added = command_line(home, f"tracker colleague add {answers['tenant']} YOUR-EMAIL --role owner")
    return f"post jobs and read applications in a browser, if you have no other software for it: `{added}`"


def _port(url: str, *, usual: int) -> int:
    """Return the port of an address on this machine if the portal's user may listen on it; else the default port."""
    address = urlsplit(url)
    port = address.port if is_loopback(address.hostname or "") else None
    return port if port and port >= _LOWEST_PORT else usual


def _way_in(home: Path, base_url: str, port: int) -> str:
    samples = f"samples in {folder('deploy')}"
    if is_loopback(urlsplit(base_url).hostname or ""):
        return (
            f"open {base_url} on this machine; nobody else can. For others: set PORTAL_BASE_URL to their address and "
            f"PORTAL_TRUSTED_PROXIES=1 in {_line(home, 'base_url')}, and put a TLS proxy in front of 127.0.0.1:{port}: "
            f"{samples}"
        )
    proxy = "a proxy with TLS" if base_url.startswith("https:") else "a proxy"
    return f"put {proxy} in front of 127.0.0.1:{port} for {base_url}: {samples}"


def _line(home: Path, key: str) -> str:
    """Return the file and line of the setting that an answer is stored in."""
    lines = (home / "settings.env").read_text(encoding="utf-8").splitlines()
    number = next(n for n, line in enumerate(lines, 1) if line.startswith(f"{VARIABLES_BY_FLAG[key]}="))
    return f"{home}/settings.env, line {number}"


def _make_folder(path: Path, undo: ExitStack) -> None:
    new = [each for each in (path, *path.parents) if not each.is_dir()]
    for each in reversed(new):
        undo.callback(_remove, each)
    private_files.make_folder(path)


def _remove(path: Path) -> None:
    with suppress(OSError):  # do not remove files that others have created in it since
        path.rmdir()


def _quoted(value: str) -> str:
    return value if re.fullmatch(r"[A-Za-z0-9/:._@%+,=-]*", value) else f"'{value}'"


def _tenant(answers: Mapping[str, str]) -> str:
    return f"""\
# For all settings, see docs/operating/configure.md, "Tenant file".
name = {_toml(answers["name"])}

[tracker]
base_url = {_toml(answers["service"])}
api_key = {_toml(answers["key"])}

[publish]
stages = ["Open"]                 # the vacancy stages that are public
"""


def _toml(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def units(home: Path, answers: Mapping[str, str]) -> dict[str, str]:
    """Return the packaged systemd units by path, adapted to this folder, user, installation and the service's port."""
    source = folder("deploy") / "systemd"
    needed = (home, Path(sys.prefix), Path(sys.base_prefix))  # the last: the virtual environment's Python
    is_below_a_home = any(place.is_relative_to(top) for place in needed for top in _HOMES)
    user = pwd.getpwuid(os.getuid()).pw_name
    ours = {
        "/opt/portal": sys.prefix,
        "/var/lib/portal": str(home),
        "User=portal": f"User={user}",
        "Group=portal": f"Group={grp.getgrgid(os.getgid()).gr_name}",
        "serve --port 8001": f"serve --port {_port(answers['service'], usual=8001)}",
        "ProtectHome=yes": f"ProtectHome={'read-only' if is_below_a_home else 'yes'}",
    }
    theirs = re.compile("|".join(re.escape(text) for text in ours))
    return {
        str(path.relative_to(source)): theirs.sub(lambda found: ours[found[0]], path.read_text(encoding="utf-8"))
        for path in sorted(source.rglob("*"))
        if path.is_file()
    }
