"""A generated drawing for a tenant without a cover: tiles laid out by a hash of its slug, in tones of its accent.

It is inline in the page, so it costs no request and follows the colour scheme; it has one path for each tone, so it
costs few elements.
"""

from functools import lru_cache
from hashlib import shake_256

TILE = 80
COLUMNS, ROWS = 10, 5
_TONES = 4
_FEW = 3
"""Shapes in one drawing: few, so that each drawing has a character of its own."""


@lru_cache(1_000)
def motif(slug: str) -> tuple[str, ...]:
    """Return for each of four tones the path data of its shapes, on COLUMNS by ROWS tiles of TILE units."""
    drawn = iter(shake_256(slug.encode()).digest(3 * COLUMNS * ROWS + _FEW))
    names = list(_SHAPES)
    hand = [_SHAPES[names.pop(next(drawn) % len(names))] for _ in range(_FEW)]
    paths: list[list[str]] = [[] for _ in range(_TONES)]
    above: list[int | None] = [None] * COLUMNS
    for row in range(ROWS):
        left: int | None = None
        for column in range(COLUMNS):
            kind, turn, tone = next(drawn), next(drawn) % 4, next(drawn) % _TONES
            if kind < 48:  # an empty tile, so that the drawing is not crowded
                left = above[column] = None
                continue
            free = [one for one in range(_TONES) if one not in {left, above[column]}]
            left = above[column] = tone = free[tone % len(free)]
            paths[tone].append(hand[kind % _FEW](column * TILE, row * TILE, turn))
    return tuple("".join(path) for path in paths)


def _corners(x: int, y: int, turn: int) -> list[str]:
    around = [f"{x} {y}", f"{x + TILE} {y}", f"{x + TILE} {y + TILE}", f"{x} {y + TILE}"]
    return around[turn:] + around[:turn]


def _quarter(x: int, y: int, turn: int) -> str:
    here, after, _, before = _corners(x, y, turn)
    return f"M{here}L{after}A{TILE} {TILE} 0 0 1 {before}z"


def _half(x: int, y: int, turn: int) -> str:
    here, after, *_ = _corners(x, y, turn)
    return f"M{here}A{TILE // 2} {TILE // 2} 0 0 0 {after}z"


def _petal(x: int, y: int, turn: int) -> str:
    here, _, there, _ = _corners(x, y, turn)
    return f"M{here}A{TILE} {TILE} 0 0 1 {there}A{TILE} {TILE} 0 0 1 {here}z"


def _corner(x: int, y: int, turn: int) -> str:
    here, after, _, before = _corners(x, y, turn)
    return f"M{here}L{after}L{before}z"


def _disc(x: int, y: int, turn: int) -> str:
    radius = (40, 28, 40, 16)[turn]
    return (
        f"M{x + 40 - radius} {y + 40}a{radius} {radius} 0 1 0 {2 * radius} 0a{radius} {radius} 0 1 0 {-2 * radius} 0z"
    )


def _square(x: int, y: int, turn: int) -> str:  # noqa: ARG001  a square looks the same in any rotation
    return f"M{x} {y}h{TILE}v{TILE}h-{TILE}z"


_SHAPES = {
    "quarter": _quarter,
    "half": _half,
    "petal": _petal,
    "corner": _corner,
    "disc": _disc,
    "square": _square,
}
