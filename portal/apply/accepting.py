"""What every way in shares: whose script may post, the file that came, and the application that is accepted."""

from collections.abc import Mapping

from flask import Request

from portal.applications.kind import APPLICATION
from portal.apply.bots import look_at
from portal.apply.formpage import FormPage
from portal.deliveries.accept import accept
from portal.parts import Parts
from portal.tenants.model import Tenant
from portal.vacancies.posting import Posting
from portal.web.body import PostedFile
from portal.web.cv_upload import CvUpload
from portal.web.origin import is_elsewhere, own_origins
from portal.web.sending_limit import pause_of_files

ROOM_AFTER = 900
"""Seconds; somebody has to make room first."""


def is_cross_site(request: Request, parts: Parts, *, listed: tuple[str, ...] = ()) -> bool:
    """Whether another site made the browser post. listed: origins of other sites that may."""
    own = own_origins(base_url=parts.settings.base_url, host=request.host)
    return is_elsewhere(
        sec_fetch_site=request.headers.get("Sec-Fetch-Site"), origin=request.headers.get("Origin"), own={*own, *listed}
    )


def take_cv(
    parts: Parts, tenant: Tenant, cv: CvUpload, file: PostedFile | None, remote_address: str | None, *, known: bool
) -> int | None:
    """Store the file that came, or have `cv` say why not. Where too many came: the seconds to wait, and nothing is.

    known: whether the form is ours. Raises StoreError, DatabaseUnavailable.
    """
    if file and known and file.size <= parts.settings.max_cv_bytes:
        pause = pause_of_files(parts.throttle, tenant=tenant.slug, remote_address=remote_address, size=file.size)
        if pause is not None:
            return pause
    cv.take(file, required=True, known=known)
    return None


def accepted(page: FormPage, posting: Posting, fields: Mapping[str, str], remote_address: str | None) -> str:
    """The reference, once it is on disk; after the form's validate(). fields: as they came.

    Raises UploadGone, DifferentContent, DatabaseUnavailable.
    """
    parts = page.parts
    seen = look_at(
        parts,
        page.tenant,
        fields,
        form_id=page.cv.form_id,
        opened=page.opened,
        remote_address=remote_address,
    )
    return accept(
        parts.database,
        parts.seal,
        APPLICATION,
        tenant=page.tenant,
        new=page.application(posting, seen),
        clock=parts.clock,
        scanned=not parts.scans,
    )
