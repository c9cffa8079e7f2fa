"""Fetched bytes → a picture that is safe to show. Its content determines the format, not its name or header."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from xml.etree.ElementTree import Element, ParseError, SubElement, tostring

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring

from portal.platform.errors import PictureUnusable
from portal.tenants.pictures import drawing
from portal.tenants.pictures.tables import PictureKind

SVG = "http://www.w3.org/2000/svg"
_XLINK = "{http://www.w3.org/1999/xlink}"
_MOST_BYTES = 256 * 1024
_MOST_ELEMENTS = 5_000
_MOST_DEEP = 40
_MOST_DRAWN = 20_000
"""Elements drawn, counting references: ten elements that each use ten others, and so on, would draw for hours."""
_WIDEST = 20


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ELEMENTS = _names(
    "svg g defs symbol use path rect circle ellipse line polyline polygon text tspan style "
    "linearGradient radialGradient stop clipPath mask"
)
_SILENT = frozenset({"title", "desc", "metadata"})
"""SVG elements that draw nothing."""
_ATTRIBUTES = _names(
    "id class style x y x1 y1 x2 y2 cx cy r rx ry fx fy fr dx dy d points width height viewBox preserveAspectRatio "
    "transform version pathLength rotate textLength lengthAdjust offset spreadMethod gradientUnits gradientTransform "
    "clipPathUnits maskUnits maskContentUnits href fill fill-opacity fill-rule stroke stroke-width stroke-opacity "
    "stroke-linecap stroke-linejoin stroke-miterlimit stroke-dasharray stroke-dashoffset opacity color display "
    "visibility overflow clip-path clip-rule mask stop-color stop-opacity vector-effect paint-order shape-rendering "
    "text-rendering mix-blend-mode isolation font-family font-size font-style font-weight text-anchor letter-spacing "
    "word-spacing dominant-baseline"
)
_LOCAL = re.compile(r"""url\(\s*["']?#([\w.-]{1,100})["']?\s*\)""")
_ANCHOR = re.compile(r"#([\w.-]{1,100})")
_CALL = re.compile(r"([\w-]*)\s*\(")
_CALLS = _names("rgb rgba hsl hsla translate translateX translateY rotate scale scaleX scaleY skewX skewY matrix")
_NO_STYLE = frozenset({"id", "class", "href", "d", "points"})
"""Attributes that cannot contain function calls."""
_NUMBER = r"(?:\d{1,6}(?:\.\d{1,20})?|\.\d{1,20})"
_BOX = re.compile(rf"\s*-?{_NUMBER}[\s,]+-?{_NUMBER}[\s,]+({_NUMBER})[\s,]+({_NUMBER})\s*")
_LENGTH = re.compile(rf"\s*({_NUMBER})(?:px|pt|mm|cm|in|em)?\s*")


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as it is served. width, height: its proportions, in px."""

    media_type: str
    width: int
    height: int
    body: bytes

    @property
    def digest(self) -> str:
        """A hash of its content, so that another picture has another URL."""
        return sha256(self.body).hexdigest()[:32]


def clean_svg(data: bytes) -> Picture:
    """Return the drawing with only the allowed content. Raises PictureUnusable."""
    if len(data) > 4 * _MOST_BYTES:
        raise PictureUnusable(f"as SVG it may have {4 * _MOST_BYTES // 1024} KB at most; a PNG or WebP may have more")
    try:
        found = fromstring(data)
    except DefusedXmlException as exc:
        raise PictureUnusable("the SVG declares entities") from exc
    except (ParseError, ValueError, LookupError) as exc:  # ValueError, LookupError: invalid encoding
        raise PictureUnusable("the SVG is not well-formed XML") from exc
    if found.tag != f"{{{SVG}}}svg":
        raise PictureUnusable('its outermost element is not <svg xmlns="http://www.w3.org/2000/svg">')
    root = _rewritten(found)
    _refuse_endless(root)
    width, height = _size(root)
    root.set("xmlns", SVG)
    body = tostring(root, encoding="utf-8")
    if len(body) > _MOST_BYTES:
        raise PictureUnusable(f"as SVG it may have {_MOST_BYTES // 1024} KB at most; a PNG or WebP may have more")
    return Picture("image/svg+xml", width, height, body)


def _rewritten(found: Element) -> Element:
    """Copy the allowed content into a new tree; without recursion, because files may be nested without limit."""
    root = Element("svg", _attributes(found))
    waiting = [(found, root, 1)]
    count = 1
    while waiting:
        old, new, depth = waiting.pop()
        new.text = _style(old.text) if new.tag == "style" else old.text
        for child in old:
            name = _name(child)
            if name is None:
                continue
            count += 1
            if count > _MOST_ELEMENTS or depth >= _MOST_DEEP:
                raise PictureUnusable(f"the SVG has more than {_MOST_ELEMENTS} elements, or {_MOST_DEEP} in each other")
            made = SubElement(new, name, _attributes(child))
            made.tail = child.tail
            waiting.append((child, made, depth + 1))
    return root


def _name(element: Element) -> str | None:
    """Return the element's allowed name, or None if it draws nothing. Raises PictureUnusable."""
    space, _, name = element.tag.rpartition("}")
    if space != f"{{{SVG}" or name in _SILENT:
        return None
    if name not in _ELEMENTS:
        raise PictureUnusable(f"the SVG has a <{name[:40]}>, which may not be shown; draw it with plain shapes")
    return name


def _attributes(element: Element) -> dict[str, str]:
    taken = {}
    for key, value in element.items():
        name = key.removeprefix(_XLINK)
        if name not in _ATTRIBUTES:
            continue  # an editor's notes, or an event handler
        if name == "href" and not _ANCHOR.fullmatch(value.strip()):
            raise PictureUnusable("the SVG refers to something outside of itself")
        if name not in _NO_STYLE and _reaches_out(_LOCAL.sub("", value)):
            raise PictureUnusable(f"the SVG's attribute {name} may hold colours and transforms alone")
        taken[name] = value
    return taken


def _style(text: str | None) -> str:
    if _reaches_out(text or ""):
        raise PictureUnusable("the SVG's <style> holds url(), @ or \\; write colours as attributes")
    return text or ""


def _reaches_out(style: str) -> bool:
    """Return whether CSS could load, import or compute something; an escape could hide any of these."""
    return "@" in style or "\\" in style or any(name not in _CALLS for name in _CALL.findall(style))


def _refuse_endless(root: Element) -> None:
    """Count the elements drawn, each reference as often as it is used; PictureUnusable for cycles or too many."""
    by_id: dict[str, Element] = {}
    for element in root.iter():
        by_id.setdefault(element.get("id", ""), element)  # of several with one id, the first counts
    drawn: dict[Element, int] = {}
    begun: set[Element] = set()
    waiting = [root]
    while waiting:
        one = waiting[-1]
        following = [*one, *(by_id[name] for name in _references(one) if name in by_id)]
        if one not in begun:
            begun.add(one)
            if any(other in begun and other not in drawn for other in following):
                raise PictureUnusable("the SVG uses itself")
            waiting += [other for other in following if other not in drawn]
            continue
        waiting.pop()
        drawn[one] = 1 + sum(drawn.get(other, 0) for other in following)
    if drawn[root] > _MOST_DRAWN:
        raise PictureUnusable(f"the SVG draws more than {_MOST_DRAWN} shapes")


def _references(element: Element) -> Iterator[str]:
    for name, value in element.items():
        if name == "href":
            yield value.strip()[1:]
        else:
            yield from _LOCAL.findall(value)


def _size(root: Element) -> tuple[int, int]:
    """Return the proportions in px, from viewBox if present; sets both, so that the drawing fills its space."""
    sides = [_LENGTH.fullmatch(root.get(name, "")) for name in ("width", "height")]
    box = _BOX.fullmatch(root.get("viewBox", ""))
    if box:
        width, height = float(box[1]), float(box[2])
    elif sides[0] and sides[1]:
        width, height = float(sides[0][1]), float(sides[1][1])
        root.set("viewBox", f"0 0 {width:g} {height:g}")
    else:
        raise PictureUnusable("the SVG says neither viewBox nor width and height")
    if min(width, height) <= 0 or max(width, height) > _WIDEST * min(width, height):
        raise PictureUnusable(f"the SVG is more than {_WIDEST} times as wide as high, or as high as wide")
    scale = max(1.0, 64 / min(width, height))
    shown = round(width * scale), round(height * scale)
    root.set("width", str(shown[0]))
    root.set("height", str(shown[1]))
    return shown


MOST_FETCHED = {
    PictureKind.LOGO: 2 * 1024 * 1024,
    PictureKind.COVER: 5 * 1024 * 1024,
    PictureKind.PERSON: 5 * 1024 * 1024,
}
"""Maximum bytes of a file as fetched."""
_LARGEST = {PictureKind.LOGO: (640, 160), PictureKind.COVER: (1920, 1280), PictureKind.PERSON: (288, 288)}
"""Pixels: three times the space that pages give a logo or a person, and a header picture for a wide screen."""
_SMALLEST = 8
_SVG = re.compile(rb"(\xef\xbb\xbf)?\s*<(\?xml|!--|!DOCTYPE|svg|[a-z]+:svg)", re.IGNORECASE)


def checked(data: bytes, kind: PictureKind) -> Picture:
    """Return a picture rebuilt from the harmless content of `data`. Raises PictureUnusable."""
    if len(data) > MOST_FETCHED[kind]:
        raise PictureUnusable(f"the file has more than {MOST_FETCHED[kind] // 1024 // 1024} MB")
    if _SVG.match(data):
        made = clean_svg(data)
    else:
        lossless = kind is PictureKind.LOGO
        made = Picture("image/webp", *drawing.redrawn(data, largest=_LARGEST[kind], lossless=lossless))
    if min(made.width, made.height) < _SMALLEST:
        raise PictureUnusable(f"it is {made.width} by {made.height} px; expected {_SMALLEST} at least each way")
    return made
