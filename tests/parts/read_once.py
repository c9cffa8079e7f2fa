"""Shares what every application of a test process reads and compiles: routes, templates, static files.

Tests open some thousands of applications, and this took more than half of the time of each.
"""

from functools import cache
from pathlib import Path
from typing import Any

from flask import Flask
from flask.templating import Environment
from werkzeug.routing import Rule

from portal.background.mails.render import CompiledTemplates
from portal.site.design import assets

_compiled: dict[object, dict[str, Any]] = {}
_read_folder = assets.Assets.__init__
_environment = Flask.create_jinja_environment


class RuleCompiledOnce(Rule):
    """A route that is compiled once for each process."""

    def compile(self) -> None:
        key = (self.rule, self.subdomain, self.host, self.merge_slashes, self.is_leaf, self.websocket)
        key += (repr(self.defaults), self.map.host_matching, *map(repr, sorted(self.map.converters.items())))
        before = set(self.arguments)
        if key not in _compiled:
            super().compile()
            made = ("_parts", "_trace", "_converters")
            builders = {name: getattr(self, name).__func__ for name in ("_build", "_build_unknown")}
            _compiled[key] = {name: getattr(self, name) for name in made}
            _compiled[key] |= {"builders": builders, "arguments": set(self.arguments) - before}
            return
        known = _compiled[key]
        self._parts, self._trace = list(known["_parts"]), list(known["_trace"])
        self._converters = dict(known["_converters"])
        self.arguments |= known["arguments"]
        for name, builder in known["builders"].items():
            setattr(self, name, builder.__get__(self, None))


@cache
def _assets(folder: Path) -> assets.Assets:
    made = assets.Assets.__new__(assets.Assets)
    _read_folder(made, folder)
    return made


def _share_assets(made: assets.Assets, folder: Path) -> None:
    if folder == assets.STATIC:
        made._files = _assets(folder)._files
    else:
        _read_folder(made, folder)


@cache
def _pages(name: str, templates: str | None) -> CompiledTemplates:
    return CompiledTemplates()


def _share_pages(app: Flask) -> Environment:
    """Share templates among applications of the same name and template folder, which are configured alike."""
    made = _environment(app)
    made.bytecode_cache = _pages(app.import_name, app.template_folder and str(app.template_folder))
    return made


def share() -> None:
    """Make all applications of this process share what none of them changes."""
    Flask.url_rule_class = RuleCompiledOnce
    Flask.create_jinja_environment = _share_pages  # type: ignore[method-assign]
    assets.Assets.__init__ = _share_assets  # type: ignore[method-assign]
