"""From variables to settings: whatever is wrong is named, misspelt names too; paths start from PORTAL_HOME."""

import re
from collections.abc import Mapping
from dataclasses import fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar, cast, get_type_hints

from pydantic import TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from portal.errors import SettingsError

HOME = "PORTAL_HOME"
_PLACES = {"database_url": "sqlite:///", "attachments": "file:", "mail": "file:", "tenants": ""}
"""Fields that may name a place on this machine → what such an address begins with."""
_OF_KUBERNETES = re.compile(r"_SERVICE_(HOST|PORT)|_PORT(_\d+_.*)?$")
"""What it sets in every pod where a service is called portal or tracker."""
_T = TypeVar("_T")


def read(shape: type[_T], environ: Mapping[str, str], required: Mapping[str, str]) -> _T:
    """A dataclass from the variables that are set and not empty, each by its field's alias.

    Raises SettingsError, which names every one that is wrong, and repeats what was found where that is no secret.
    """
    said = {name: text.strip() for name, text in environ.items() if text.strip()}
    wrong: list[str] = []
    try:
        start = home(said)
    except SettingsError as error:
        start, wrong = None, [str(error)]
    try:
        found = TypeAdapter(shape).validate_python({**required, **said})
    except ValidationError as error:
        shown = {alias: said[alias] for alias, one in _by_alias(shape).items() if one.repr and alias in said}
        wrong += [_problem(one, shown) for one in error.errors(include_input=False, include_url=False)]
    else:
        if not wrong:
            return _from(start, found) if start else found
    raise SettingsError("; ".join(wrong))  # outside of the handler: pydantic's own error holds the value


def home(environ: Mapping[str, str]) -> Path | None:
    """What relative paths start from; None where that is the current folder. Raises SettingsError."""
    text = environ.get(HOME, "").strip()
    if not text:
        return None
    found = Path(text)
    if not found.is_absolute() or not found.is_dir() or "?" in text:  # an address would end at a question mark
        raise SettingsError(f"{HOME}: expected the absolute path of a folder that is there, found {text!r}")
    return found


def misspelt(environ: Mapping[str, str], *shapes: type) -> list[str]:
    """A sentence for each PORTAL_… and TRACKER_… that none of these reads, with the name that is nearest."""
    known = [HOME, *(alias for shape in shapes for alias in _by_alias(shape))]
    ours = (name for name in environ if name.startswith(("PORTAL_", "TRACKER_")) and not _OF_KUBERNETES.search(name))
    strange = sorted(name for name in ours if name not in known)
    return [_no_setting(name, known) for name in strange]


def _no_setting(name: str, known: list[str]) -> str:
    prefix, _, rest = name.partition("_")
    ours = [one.removeprefix(f"{prefix}_") for one in known if one.startswith(f"{prefix}_")]
    near = get_close_matches(rest, ours, n=1, cutoff=0.75)
    return f"{name} is no setting" + (f": is {prefix}_{near[0]} meant?" if near else ", and nothing reads it")


def _problem(error: Any, shown: Mapping[str, str]) -> str:  # noqa: ANN401  pydantic's ErrorDetails, which it does not export
    name = str(error["loc"][0])
    found = shown.get(name, "")
    # An address may hold a password where nobody meant it to.
    says = f", found {found!r}" if found and len(found) <= 100 and "@" not in found else ""
    return f"{name}: {error['msg'].removeprefix('Value error, ')}{says}"


def _by_alias(shape: type) -> dict[str, Any]:
    """Variable → the field that it sets."""
    hints = get_type_hints(shape, include_extras=True)
    return {
        info.alias: one
        for one in fields(shape)
        for info in getattr(hints[one.name], "__metadata__", ())
        if isinstance(info, FieldInfo) and info.alias
    }


def _from(start: Path, found: _T) -> _T:
    """The same with every path from that folder on."""
    places = {name: scheme for name, scheme in _PLACES.items() if hasattr(found, name)}
    changed = {name: _located(getattr(found, name), scheme, start) for name, scheme in places.items()}
    return cast("_T", replace(cast("Any", found), **changed))


def _located(place: str | Path, scheme: str, start: Path) -> str | Path:
    if isinstance(place, Path):
        return start / place
    path = place.removeprefix(scheme)
    return place if path in {place, ":memory:"} else f"{scheme}{start / path}"
