"""Reports every file of a SQLite database that a process opens outside SQLite while it uses that database.

Closing any descriptor of such a file drops the locks that SQLite holds on it (sqlite.org/howtocorrupt.html, 2.2).
CPython raises the audit event `open` for open(), os.open(), pathlib and shutil, and none for what SQLite opens in C.

Standard library only: sitecustomize.py beside it installs this in every Python process that a test starts.
"""

import os
import sys
from pathlib import Path

REPORT = "SQLITE_FILES_REPORT"
"""Environment variable that names the file to which a test's processes append what they find."""
_COMPANIONS = ("", "-wal", "-shm", "-journal")
_LIBRARY = (f"{Path(os.__file__).parent}/", "<frozen ", str(Path(__file__).parent))


class SqliteFiles:
    """An audit hook. report: the file that each offence is appended to, one line each.

    only_while_open: allow opening files of a database that this process has closed again. A test may need to read them;
    the product never does.
    """

    def __init__(self, report: str, *, only_while_open: bool) -> None:
        self._report = report
        self._only_while_open = only_while_open
        self._names: set[str] = set()
        self._paths: set[str] = set()
        os.register_at_fork(after_in_child=self._forget)  # locks are not inherited

    def install(self) -> None:
        """Install the audit hook, which cannot be removed while the process runs."""
        sys.addaudithook(self._hear)

    def _hear(self, event: str, args: tuple[object, ...]) -> None:
        if event == "open":
            path = args[0]
            # For most calls, this is a single set lookup.
            if isinstance(path, str | bytes) and os.fsdecode(path).rpartition("/")[2] in self._names:
                self._check(os.path.realpath(os.fsdecode(path)))
        elif event == "sqlite3.connect":
            self._remember(os.fsdecode(args[0]))  # type: ignore[arg-type]  # a path or a URI, as sqlite3.connect takes it

    def _remember(self, database: str) -> None:
        path = database.removeprefix("file:").partition("?")[0] if database.startswith("file:") else database
        if path in {"", ":memory:"}:
            return
        real = os.path.realpath(path)
        for companion in _COMPANIONS:
            self._names |= {each.rpartition("/")[2] + companion for each in (path, real)}
            self._paths.add(real + companion)

    def _check(self, path: str) -> None:
        if path in self._paths and not (self._only_while_open and not _is_open(path)):
            with Path(self._report).open("a", encoding="utf-8") as report:
                report.write(f"{path} at {_place()} in process {os.getpid()}\n")

    def _forget(self) -> None:
        self._names, self._paths = set(), set()


def inherited() -> dict[str, str]:
    """Return the variables that install the hook, for a child process that gets no other variables of this one."""
    return {name: os.environ[name] for name in ("PYTHONPATH", REPORT) if name in os.environ}


def read_report(report: Path) -> list[str]:
    """Return what was found since the last call."""
    found = report.read_text(encoding="utf-8").splitlines()
    if found:
        report.write_text("", encoding="utf-8")
    return found


def _is_open(path: str) -> bool:
    """Return whether this process has the database of this path open; True where that is unknown."""
    database = next(path.removesuffix(one) for one in reversed(_COMPANIONS) if path.endswith(one))
    of_it = {database + companion for companion in _COMPANIONS}
    try:
        descriptors = list(Path("/proc/self/fd").iterdir())
    except OSError:
        return True
    for each in descriptors:
        try:
            if str(each.readlink()) in of_it:
                return True
        except OSError:
            continue  # closed in the meantime
    return False


def _place() -> str:
    """Return the innermost line outside the standard library."""
    frame = sys._getframe()
    while frame.f_back and frame.f_code.co_filename.startswith(_LIBRARY):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}"
