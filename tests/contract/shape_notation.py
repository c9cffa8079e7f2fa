"""Reads the interface document's own notation of shapes into rows of facts.

A shape is `{…}` of members, an `array of …`, a name of §2.2, or words. A member is a name, then nothing, `: shape`,
`= constant`, `{…}` or words; words in brackets after it may hold a sample, or the type of the untyped names before it.
"""

import re
from dataclasses import dataclass, field

NAMED = {
    "location": "Location",
    "user badge": "UserBadge",
    "actor badge": "ActorBadge",
    "client": "Client",
    "client team member": "ClientTeamMember",
    "salary range": "SalaryRange",
    "email entry": "EmailEntry",
    "phone entry": "PhoneEntry",
    "social media entry": "SocialMediaEntry",
    "language entry": "LanguageEntry",
    "compensation": "Compensation",
    "custom attribute": "CustomAttribute",
    "next task": "NextTask",
    "interview": "Interview",
    "application stage": "ApplicationStage",
}
SCALARS = {
    "string": "string",
    "strings": "string",
    "number": "number",
    "boolean": "boolean",
    "timestamp": "date-time",
    "timestamps": "date-time",
    "any type": "any",
}
TOKEN = re.compile(r"`[^`]*`|[{}(),:;=]|[^\s`{}(),:;=]+")


@dataclass
class Shape:
    """`type` is None if the document gives only a name."""

    type: str | None = None
    array: bool = False
    values: list[str] = field(default_factory=list)
    constant: str | None = None
    members: dict[str, "Shape"] = field(default_factory=dict)


class Notation:
    """One cell of a table."""

    def __init__(self, cell: str) -> None:
        self._tokens = TOKEN.findall(cell)
        self._at = 0

    def shape(self) -> Shape:
        """Parse a shape."""
        if self._next("{"):
            return self._object()
        words = self._words()
        if words[:2] == ["array", "of"]:
            inner = self._object() if self._next("{") else _named(words[2:])
            inner.array = True
        elif words[:1] == ["object"] and self._next(":"):
            inner = self._members(end="")
        else:
            inner = _named(words)
        inner.values += self._values()
        if self._peek() == "(" and not self._strings_follow() and self._next("("):
            return self._bracketed(inner)
        return inner

    def members(self) -> Shape:
        """Parse a list of members without braces, as in §2.2."""
        return self._members(end="")

    def _object(self) -> Shape:
        shape = self._members(end="}")
        self._expect("}")
        return shape

    def _members(self, end: str) -> Shape:
        shape = Shape("object")
        untyped: list[Shape] = []
        while self._peek() not in {end, "", ";"}:
            if self._next(","):
                continue
            if self._next("("):
                kind = _named([word for word in self._words() if word != "all"]).type
                for member in untyped:
                    member.type = kind
                untyped = []
                self._expect(")")
                continue
            name, member = self._member()
            shape.members[name] = member
            untyped = [*untyped, member] if member == Shape() else []
        return shape

    def _member(self) -> tuple[str, Shape]:
        name = self._take().strip("`")
        if self._next(":"):
            if self._peek().startswith("`") and name == "viewType":
                return name, Shape("string", constant=self._take().strip("`"))
            return name, self.shape()
        if self._next("="):
            return name, Shape("string", constant=self._take().strip("`"))
        if self._peek() in {",", "}", ""} or self._strings_follow():
            return name, Shape()
        if self._next("("):
            return name, self._bracketed(Shape())
        return name, self.shape()

    def _bracketed(self, member: Shape) -> Shape:
        words = self._words()
        if member.type is None:
            member.type = _named(words).type
        member.values += self._values()
        self._words()
        self._expect(")")
        return member

    def _strings_follow(self) -> bool:
        return self._tokens[self._at : self._at + 2] in (["(", "strings"], ["(", "timestamps"], ["(", "all"])

    def _values(self) -> list[str]:
        # After "sample", "one of" and the like: values in backticks, with commas and "or" between them.
        values: list[str] = []
        while True:
            if self._peek().startswith("`") and not self._a_member_starts():
                values.append(self._take().strip("`"))
            elif self._peek() == "or" or self._tokens[self._at : self._at + 2] == [";", "sample"]:
                self._at += 1 if self._peek() == "or" else 2
            elif self._peek() == "," and values and not self._a_member_starts(1):
                self._at += 1
            else:
                return values

    def _a_member_starts(self, ahead: int = 0) -> bool:
        # Inside of §2's objects a value is never followed by more members in backticks, and a member always may be.
        return bool(self._at + ahead and self._tokens[self._at + ahead - 1] == ",") and self._in_backticked_object()

    def _in_backticked_object(self) -> bool:
        opened = "".join("{" if t == "{" else "}" if t == "}" else " " for t in self._tokens[: self._at])
        depth = opened.rfind("{")
        return depth >= 0 and self._tokens[depth + 1].startswith("`")

    def _words(self) -> list[str]:
        words = []
        while self._peek() and self._peek()[0] not in "`{}(),:;=":
            words.append(self._take())
        return words

    def _peek(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1]

    def _next(self, token: str) -> bool:
        found = self._peek() == token
        self._at += found
        return found

    def _expect(self, token: str) -> None:
        assert self._next(token), f"expected {token!r} at {self._tokens[self._at :]} of {self._tokens}"


def _named(words: list[str]) -> Shape:
    phrase = " ".join(words).lower().removeprefix("(").rstrip(".")
    if phrase in NAMED:
        return Shape(NAMED[phrase])
    if phrase in SCALARS:
        return Shape(SCALARS[phrase])
    if phrase.startswith("array of "):
        return _named(words[2:])
    if phrase.startswith("string") or phrase in {"", "one of"}:
        return Shape("string")
    raise AssertionError(f"the document has words that this reader does not know: {phrase!r}")
