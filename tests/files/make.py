"""Make the CV files of this folder from cv.html with LibreOffice, as a person would save them.

Run by hand when cv.html changes: `/usr/bin/python3 tests/files/make.py`; needs Debian's libreoffice-writer,
python3-uno, poppler-utils and chromium. The files are committed, so that the tests need none of them.
"""

import base64
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
FORMATS = {
    "docx": "MS Word 2007 XML",
    "odt": "writer8",
    "rtf": "Rich Text Format",
    "doc": "MS Word 97",
    "pdf": "writer_pdf_Export",
}
PASSWORD = "correct horse"
MACRO = 'Sub Main\n    MsgBox "Hello"\nEnd Sub\n'


def main() -> int:
    """Write every file anew."""
    with tempfile.TemporaryDirectory() as folder:
        office = subprocess.Popen(
            [
                "soffice",
                f"-env:UserInstallation=file://{folder}/profile",
                "--headless",
                "--norestore",
                "--accept=pipe,name=careers-cv;urp",
            ],
        )
        try:
            save_all()
        finally:
            office.terminate()
            office.wait(30)
        scan(Path(folder))
    return 0


def save_all() -> None:
    """Each format plain, those that can with a password, and two with a macro."""
    desktop = connect()
    document = desktop.loadComponentFromURL(
        (HERE / "cv.html").as_uri(), "_blank", 0, properties(Hidden=True, FilterName="HTML (StarWriter)")
    )
    odt = HERE / "cv.odt"
    document.storeToURL(odt.as_uri(), properties(FilterName="writer8"))
    document.close(True)
    document = desktop.loadComponentFromURL(odt.as_uri(), "_blank", 0, properties(Hidden=True))
    for extension, filter_name in FORMATS.items():
        if extension != "odt":
            document.storeToURL((HERE / f"cv.{extension}").as_uri(), properties(FilterName=filter_name))
    for extension in ("odt", "doc"):
        locked = properties(FilterName=FORMATS[extension], Password=PASSWORD)
        document.storeToURL((HERE / f"locked.{extension}").as_uri(), locked)
    locked = properties(FilterName=FORMATS["docx"], EncryptionData=encryption_data())
    document.storeToURL((HERE / "locked.docx").as_uri(), locked)
    locked = filter_data(EncryptFile=True, DocumentOpenPassword=PASSWORD)
    document.storeToURL((HERE / "locked.pdf").as_uri(), properties(FilterName=FORMATS["pdf"], FilterData=locked))
    libraries = document.BasicLibraries
    if not libraries.hasByName("Standard"):
        libraries.createLibrary("Standard")
    libraries.getByName("Standard").insertByName("Greeting", MACRO)
    document.storeToURL((HERE / "macro.odt").as_uri(), properties(FilterName="writer8"))
    document.close(True)


def connect() -> object:
    """LibreOffice's desktop, once it is up."""
    import uno

    local = uno.getComponentContext()
    resolver = local.ServiceManager.createInstanceWithContext("com.sun.star.bridge.UnoUrlResolver", local)
    for _ in range(120):
        try:
            context = resolver.resolve("uno:pipe,name=careers-cv;urp;StarOffice.ComponentContext")
        except uno.getClass("com.sun.star.connection.NoConnectException"):
            time.sleep(0.5)
        else:
            return context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
    raise TimeoutError("LibreOffice did not start")


def properties(**values: object) -> tuple[object, ...]:
    """Arguments as LibreOffice takes them."""
    from com.sun.star.beans import PropertyValue

    return tuple(PropertyValue(name, 0, value, 0) for name, value in values.items())


def filter_data(**values: object) -> object:
    """Arguments of a filter."""
    import uno

    return uno.Any("[]com.sun.star.beans.PropertyValue", properties(**values))


def encryption_data() -> object:
    """What DOCX wants in place of a plain password."""
    import uno
    from com.sun.star.beans import NamedValue

    values = (NamedValue("OOXPassword", PASSWORD), NamedValue("CryptoType", "Standard"))
    return uno.Any("[]com.sun.star.beans.NamedValue", values)


def scan(folder: Path) -> None:
    """A PDF whose only page is a picture, slightly turned, as a scanner makes it."""
    picture = folder / "page"
    options = ["-r", "60", "-gray", "-jpeg", "-jpegopt", "quality=30", "-singlefile"]
    subprocess.run(["pdftoppm", *options, HERE / "cv.pdf", picture], check=True)
    data = base64.b64encode(picture.with_suffix(".jpg").read_bytes()).decode()
    page = folder / "scan.html"
    page.write_text(
        "<!doctype html><style>@page{margin:0;size:A4}body{margin:0}img{width:100%;transform:rotate(.6deg)}</style>"
        f'<img src="data:image/jpeg;base64,{data}">',
        encoding="utf-8",
    )
    argv = ["chromium", "--headless=new", "--no-sandbox", "--disable-background-networking", "--no-pdf-header-footer"]
    subprocess.run([*argv, f"--print-to-pdf={HERE / 'scan.pdf'}", page.as_uri()], check=True, capture_output=True)


if __name__ == "__main__":
    sys.exit(main())
