"""The W3C's HTML checker as a private server."""

import http.client
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.parts.missing import file, program
from tests.parts.process import accepts, free_port, private_folder, running

JAR = Path(__file__).parent.parent / "node" / "node_modules" / "vnu-jar" / "build" / "dist" / "vnu.jar"


@dataclass(frozen=True, slots=True)
class HtmlChecker:
    """A running checker."""

    port: int

    def validate(self, html: str) -> list[str]:
        """Return errors and warnings of a page, each `line: message`; none for a valid page."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        try:
            headers = {"Content-Type": "text/html; charset=utf-8", "User-Agent": "tests"}
            connection.request("POST", "/?out=json", html.encode(), headers)
            answer = connection.getresponse()
            body = answer.read()
        finally:
            connection.close()
        if answer.status != 200:
            raise RuntimeError(f"the HTML checker answered {answer.status}")
        return [
            f"{message.get('lastLine', '?')}: {message['message']}"
            for message in json.loads(body)["messages"]
            if message["type"] != "info" or message.get("subType") == "warning"
        ]


@contextmanager
def running_html_checker() -> Iterator[HtmlChecker]:
    """Run a private checker; it takes about two seconds to start."""
    java = program("java", how="apt-get install default-jre-headless")
    jar = file(JAR, how="python tools/install_parts.py, with npm installed")
    with private_folder() as home:
        port = free_port()
        argv = [java, "-Xmx512m", "-Dnu.validator.servlet.bind-address=127.0.0.1", "-cp", str(jar)]
        argv += ["nu.validator.servlet.Main", str(port)]
        with running(argv, log=home / "log", ready=lambda: accepts(port), cwd=home):
            yield HtmlChecker(port)
