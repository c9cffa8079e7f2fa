"""Pages of records (§4.1, §4.2). Each record is parsed on its own, so that a bad one does not affect the others.

Fields that are not read are dropped first, so errors in them do no harm.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Generic, TypeAlias, TypeVar

from pydantic import ValidationError

from portal.adapters.tracker_client.outcome import ServiceResponse, is_utf8, json_of
from portal.contract import bounds
from portal.contract.model import Read
from portal.contract.shapes import PageInfo

RECORD_MOST = 1_000_000
"""Characters of JSON in one record; no record entered by people is larger."""
_CURSOR_MOST = 2_000
_ID_MOST = 500

T = TypeVar("T", bound=Read)
FieldSelection: TypeAlias = Mapping[str, "FieldSelection | None"]
"""Field names as in the interface → None for the whole value, else the fields to read of it (or of each list item)."""


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A record that could not be parsed. `problem` names fields and rules, never values."""

    id: str | None = field(repr=False)
    problem: str


@dataclass(frozen=True, slots=True)
class ListPage(Generic[T]):
    """One page of a list. `served_at` is the service's time when it responded (Date header), if it sent one."""

    items: tuple[T, ...]
    bad: tuple[BadRecord, ...]
    next_cursor: str | None
    has_next: bool
    served_at: datetime | None


def page_of(
    answer: ServiceResponse, model: type[T], *, asked: int, reading: FieldSelection | None = None
) -> ListPage[T]:
    """Return the page in a 2xx response.

    reading: fields to read, None for all. Raises NotTheService if the response does not have the shape of a page, or
    has more records than were requested.
    """
    content = json_of(answer, most=(asked + 1) * bounds.RECORD_MAX_TOKENS)
    items = content.get("items") if isinstance(content, dict) else None
    if not isinstance(content, dict) or not isinstance(items, list):
        raise answer.not_the_service("the response is not a page of records")
    if len(items) > asked:
        raise answer.not_the_service(f"a page of {len(items)} records was returned, but {asked} were requested")
    check_text = _needs_text_check(answer)
    info = record_of(content.get("pageInfo"), PageInfo, check_text=check_text)
    if isinstance(info, BadRecord) or (info.has_next_page and not 1 <= len(info.next_cursor or "") <= _CURSOR_MOST):
        raise answer.not_the_service("the page has no valid cursor to the next one")
    wanted = items if reading is None else [select_fields(item, reading) for item in items]
    read = [record_of(item, model, check_text=check_text) for item in wanted]
    return ListPage(
        items=tuple(record for record in read if not isinstance(record, BadRecord)),
        bad=tuple(record for record in read if isinstance(record, BadRecord)),
        next_cursor=info.next_cursor if info.has_next_page else None,
        has_next=info.has_next_page,
        served_at=answer.served_at,
    )


def one_of(answer: ServiceResponse, model: type[T], *, reading: FieldSelection | None = None) -> T:
    """Return the single record in a 2xx response; raise NotTheService if it has another shape. reading: as above."""
    content = json_of(answer)
    wanted = content if reading is None else select_fields(content, reading)
    found = record_of(wanted, model, check_text=_may_hold_surrogates(answer), most=bounds.RESPONSE_MAX_TOKENS)
    if isinstance(found, BadRecord):
        raise answer.not_the_service(f"the response does not have the shape of §{answer.operation} ({found.problem})")
    return found


def record_of(content: object, model: type[T], *, check_text: bool, most: int = bounds.VALUES_MAX) -> T | BadRecord:
    """Return the parsed record, or a BadRecord with the reason.

    check_text: also check for size and lone surrogates. most: values allowed.
    """
    found = content.get("id") if isinstance(content, dict) else None
    known_as = found if isinstance(found, str) and len(found) <= _ID_MOST and found.isprintable() else None
    problem = bounds.problem_of(content, most=most) or (_text_problem(content) if check_text else None)
    if problem is not None:
        return BadRecord(known_as, problem)
    try:
        return model.model_validate(content)
    except ValidationError as exc:
        # Only the location and the rule: pydantic's own message quotes the value.
        errors = exc.errors(include_input=False, include_url=False, include_context=False)[:5]
        return BadRecord(known_as, "; ".join(f"{'.'.join(map(str, e['loc'])) or 'it'}: {e['type']}" for e in errors))


def _needs_text_check(answer: ServiceResponse) -> bool:
    return len(answer.body) > RECORD_MOST or _may_hold_surrogates(answer)


def _may_hold_surrogates(answer: ServiceResponse) -> bool:
    return b"\\u" in answer.body or not is_utf8(answer.body)


def _text_problem(content: object) -> str | None:
    written = json.dumps(content, ensure_ascii=False)
    if len(written) > RECORD_MOST:
        return "it is larger than any record should be"
    try:
        written.encode()
    except UnicodeEncodeError:
        return "it holds bytes that are not UTF-8, or half a character (a lone surrogate), which no database takes"
    return None


def select_fields(content: object, members: FieldSelection) -> object:
    """Return the record, or each record of a list, with these fields only; leave other values unchanged."""
    if isinstance(content, list):
        return [_selected(each, members) for each in content]
    return _selected(content, members)


def _selected(content: object, members: FieldSelection) -> object:
    if not isinstance(content, dict):
        return content
    return {
        name: content[name] if inner is None else select_fields(content[name], inner)
        for name, inner in members.items()
        if name in content
    }
