"""Keyed hashes: what lets two submissions be compared after their content is gone, and tells a stranger nothing."""

import hashlib
import hmac
import json

from portal.applications.model import NewApplication
from portal.sealing import folded


def payload_hash(secret: str, application: NewApplication, cv_sha256: str) -> str:
    """64 hex digits over everything that was typed and the CV's content, not over the upload's handle."""
    where = application.location
    content = [
        application.posting_id,
        application.first_name,
        application.last_name,
        application.email,
        application.phone_number,
        application.network_url,
        [where.city, where.region, where.postal_code, where.country],
        cv_sha256,
    ]
    return _keyed(secret, "payload", json.dumps(content, ensure_ascii=True))


def email_hash(secret: str, tenant: str, email: str) -> str:
    """64 hex digits over one tenant's view of an address, folded."""
    return _keyed(secret, "email", json.dumps([tenant, folded(email)], ensure_ascii=True))


def _keyed(secret: str, purpose: str, content: str) -> str:
    return hmac.new(f"applications.{purpose}:{secret}".encode(), content.encode(), hashlib.sha256).hexdigest()
