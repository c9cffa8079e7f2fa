"""Randomly damaged files of real programs are rejected or keep their type, and no process crashes or hangs.

CORRUPTED sets their number: 500 here, 10,000 in `make soak`. Each is inspected in a separate process.
"""

import io
import os
import random
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import docx
import pytest

from portal.adapters.inspection import inspection
from portal.platform.errors import UploadReason, UploadRefused
from tests.parts import files, pdfs

pytestmark = [pytest.mark.soak, pytest.mark.verify]

HOW_MANY = int(os.environ.get("CORRUPTED", "500"))
SLOWEST = 25.0
"""Seconds for one, on a machine that does much else: it is ended after 2 of a core, or 15 by the clock."""


def written_by_python_docx() -> bytes:
    made, out = docx.Document(), io.BytesIO()
    made.add_paragraph("Marit Solheim, engineer")
    made.save(out)
    return out.getvalue()


REAL = {
    "cv.pdf": files.real("cv.pdf"),
    "scan.pdf": files.real("scan.pdf"),
    "typeset.pdf": pdfs.typeset(3),
    "packed.pdf": pdfs.packed(files.real("cv.pdf")),
    "cv.docx": files.real("cv.docx"),
    "made.docx": written_by_python_docx(),
    "cv.odt": files.real("cv.odt"),
    "cv.rtf": files.real("cv.rtf"),
    "cv.doc": files.real("cv.doc"),
    "cv.txt": "Marit Sølheim\r\nÅrdal, engineer\r\n".encode() * 40,
}


def overwritten(content: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice([1, 1, 4, 64])):
        at = chance.randrange(len(content))
        content[at : at + 4] = chance.randbytes(chance.randrange(1, 5))


def flipped(content: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice([1, 8, 100])):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)


def cut_out(content: bytearray, chance: random.Random) -> None:
    at = chance.randrange(len(content))
    del content[at : at + chance.randrange(1, 2_000)]


def cut_short(content: bytearray, chance: random.Random) -> None:
    del content[chance.randrange(1, len(content)) :]


def repeated(content: bytearray, chance: random.Random) -> None:
    at, to = chance.randrange(len(content)), chance.randrange(len(content))
    content[to:to] = content[at : at + 2_000] * chance.choice([1, 3, 50])


def emptied(content: bytearray, chance: random.Random) -> None:
    at = chance.randrange(len(content))
    length = min(chance.randrange(1, 5_000), len(content) - at)
    content[at : at + length] = bytes(length)


def with_some_of_another(content: bytearray, chance: random.Random) -> None:
    other = REAL[chance.choice(sorted(REAL))]
    at, start = chance.randrange(1, len(content)), chance.randrange(len(other))
    content[at : at + 1_000] = other[start : start + 1_000]


def renumbered(content: bytearray, chance: random.Random) -> None:
    """Change lengths, offsets and counts: digits in a PDF, binary words in other types."""
    digits = [at for at in chance.sample(range(len(content)), min(4_000, len(content))) if 48 <= content[at] <= 57]
    for at in digits[: chance.choice([1, 3, 20])]:
        content[at] = chance.choice(b"0123456789")
    at = chance.randrange(len(content))
    content[at : at + 4] = chance.choice([b"\xff\xff\xff\xff", b"\0\0\0\0", b"\xff\xff\xff\x7f", b"\1\0\0\0"])


DAMAGE: list[Callable[[bytearray, random.Random], None]] = [
    overwritten, flipped, cut_out, cut_short, repeated, emptied, with_some_of_another, renumbered,
]  # fmt: skip


def outcome(number: int) -> str:
    """Return the result for that file; the same number always gives the same damage."""
    chance = random.Random(number)  # noqa: S311  reproducible
    name = sorted(REAL)[number % len(REAL)]
    content = bytearray(REAL[name])
    chance.choice(DAMAGE)(content, chance)
    began = time.monotonic()
    try:
        found = inspection.inspect(io.BytesIO(bytes(content)), max_bytes=10_000_000)
    except UploadRefused as refused:
        said = str(refused.reason)
    else:
        said = "taken"
        assert found.extension == name.rpartition(".")[2], f"{number}: {name} passes as {found.extension}"
    assert time.monotonic() - began < SLOWEST, f"{number}: {name} takes too long"
    return said


def test_damaged_files_are_rejected_or_keep_their_type() -> None:
    inspection.inspect(io.BytesIO(REAL["cv.pdf"]), max_bytes=10_000_000)
    running = inspection._helper._running
    with ThreadPoolExecutor(2) as pool:
        outcomes = Counter(pool.map(outcome, range(HOW_MANY)))
    assert inspection._helper._running is running, "the helper crashed on one of them"
    assert outcomes[UploadReason.TOO_COMPLEX] == 0, "a process crashed on one of them"
    assert outcomes["taken"] < HOW_MANY / 2, outcomes
