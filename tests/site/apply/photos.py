"""Photos of a CV's pages as a camera takes them, and the pages of the resulting PDF."""

import io
from typing import Any

from PIL import Image
from playwright.sync_api import Page, expect
from pypdf import PdfReader

ORIENTATION, CAMERA = 0x0112, 0x0110
MODEL = "Camera of Ada"


def photo(name: str, size: tuple[int, int], colour: str, *, turned: bool = False, noisy: bool = False) -> Any:
    """Return a page of one colour with a white foot. turned: the camera was held sideways, as its EXIF says."""
    picture = Image.effect_noise(size, 90).convert("RGB") if noisy else Image.new("RGB", size, colour)
    if not noisy:
        picture.paste("white", (0, size[1] * 4 // 5, *size))
    exif = Image.Exif()
    exif[CAMERA] = MODEL
    if turned:
        picture, exif[ORIENTATION] = picture.rotate(90, expand=True), 6
    out = io.BytesIO()
    picture.save(out, "JPEG", exif=exif, quality=95)
    return {"name": name, "mimeType": "image/jpeg", "buffer": out.getvalue()}


def red_green_blue() -> list[Any]:
    return [photo(f"IMG_{n}.jpg", (120, 160), colour) for n, colour in enumerate(("red", "lime", "blue"), start=1)]


def choose(page: Page, *photos: Any) -> None:
    """Choose photos, and wait until each is a page."""
    here = page.locator(".cv-page").count()
    page.set_input_files("#cv", list(photos))
    expect(page.locator(".cv-page")).to_have_count(here + len(photos))


def go_on(page: Page) -> None:
    """Leave the pages for another field, which uploads them."""
    page.focus("#city")
    expect(page.locator(".field-stored:visible")).to_contain_text("CV.pdf")


def shown(content: bytes) -> list[tuple[str, str]]:
    """Return for each page of a PDF its colour, and the side of its white foot as displayed."""
    return [_seen(page) for page in PdfReader(io.BytesIO(content), strict=True).pages]


def _seen(page: Any) -> tuple[str, str]:
    (drawn,) = page.images
    picture = drawn.image.convert("RGB").rotate(-page.rotation, expand=True)
    width, height = picture.size
    sides = {
        "top": (width // 2, 2),
        "bottom": (width // 2, height - 3),
        "left": (2, height // 2),
        "right": (width - 3, height // 2),
    }
    foot = next(side for side, at in sides.items() if min(picture.getpixel(at)) > 200)
    levels = picture.getpixel((width // 2, height // 2))
    return ("red", "green", "blue")[levels.index(max(levels))], foot
