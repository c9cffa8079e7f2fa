"""Make the CVs of tests/adapters/cv_reader/files by LibreOffice, as people save them. Run by hand.

`.venv/bin/python -m tests.adapters.cv_reader.make_files`; needs Debian's libreoffice-writer-nogui.
"""

import subprocess
import tempfile
from pathlib import Path

from tests.adapters.cv_reader import word_designs
from tests.adapters.cv_reader.people import people

FILES = Path(__file__).parent / "files"
_SAVED = [
    (0, word_designs.docx_table, "docx", "pdf"),
    (5, word_designs.docx_columns, "docx", "pdf"),
    (13, word_designs.docx_header, "docx", "pdf"),
    (14, word_designs.docx_plain, "docx", "doc"),
    (23, word_designs.docx_plain, "docx", "pdf"),
    (26, word_designs.odt_plain, "odt", "doc"),
    (34, word_designs.odt_table, "odt", "rtf"),
    (44, word_designs.docx_columns, "docx", "rtf"),
    (53, word_designs.docx_table, "docx", "odt"),
    (57, word_designs.docx_plain, "docx", "pdf"),
    (59, word_designs.docx_table, "docx", "pdf"),
    (61, word_designs.docx_columns, "docx", "doc"),
]


def main() -> None:
    """Write every file; its name is the person's number and the design."""
    FILES.mkdir(exist_ok=True)
    everybody = people()
    with tempfile.TemporaryDirectory() as folder:
        for number, design, made, saved in _SAVED:
            source = Path(folder) / f"{number:02}-{design.__name__}.{made}"
            source.write_bytes(design(everybody[number]))
            subprocess.run(
                [
                    "soffice",
                    f"-env:UserInstallation=file://{folder}/profile",
                    "--headless",
                    "--convert-to",
                    saved,
                    "--outdir",
                    FILES,
                    source,
                ],
                check=True,
            )


if __name__ == "__main__":
    main()
