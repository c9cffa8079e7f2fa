"""SQL is run with ordinary SQLAlchemy, except on the paths for which decision 0064 measured a benefit."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
PREPARED = "portal.platform.database.prepared"
MAY = {
    # accepting a delivery: its file, its envelope, its outbox row and its email
    "portal/delivery/uploads/claims.py",
    "portal/delivery/envelopes/accept.py",
    "portal/delivery/envelopes/repeats.py",
    "portal/background/outbox/queue.py",
    "portal/background/mails/queue.py",
    # delivering: the envelope that a worker opens for each attempt
    "portal/delivery/envelopes/handler.py",
    "portal/delivery/envelopes/kinds.py",
    # §4.8 of the service
    "portal/tracker/public.py",
    "portal/tracker/applications.py",
    "portal/tracker/candidates.py",
    "portal/tracker/idempotency.py",
    "portal/tracker/revisions.py",
    "portal/tracker/upsert.py",
    # §4.1 and §4.3 of the service
    "portal/tracker/keys.py",
    "portal/tracker/vacancies.py",
    "portal/tracker/with_key.py",
}


def test_only_measured_modules_use_prepared_statements():
    assert {str(path.relative_to(ROOT)) for path in (ROOT / "portal").rglob("*.py") if _imports_it(path)} == MAY


def _imports_it(path: Path) -> bool:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import) and any(name.name == PREPARED for name in node.names):
            return True
        if isinstance(node, ast.ImportFrom) and PREPARED in {
            node.module,
            *(f"{node.module}.{name.name}" for name in node.names),
        }:
            return True
    return False
