"""Storing the CV and accepting the application: shared by the form and the JSON API."""

from collections.abc import Mapping

from portal.delivery.applications.kind import APPLICATION
from portal.delivery.envelopes.accept import accept
from portal.jobs.posting import Posting
from portal.services import Services
from portal.site.apply.bots import look_at
from portal.site.apply.form_page import FormPage
from portal.site.forms.cv_upload import CvUpload
from portal.site.forms.rate_limits import count_file, pause_of_files
from portal.site.forms.request_body import PostedFile
from portal.tenants.model import Tenant

ROOM_AFTER = 900
"""Seconds for Retry-After when a disk is nearly full: somebody has to free up space first."""


def take_cv(
    services: Services,
    tenant: Tenant,
    cv: CvUpload,
    file: PostedFile | None,
    remote_address: str | None,
    *,
    known: bool,
) -> int | None:
    """Store the posted file, or set `cv.error`. If too many files came, store nothing and return the seconds to wait.

    known: whether the form was issued by this portal. Raises StoreError, DatabaseUnavailable.
    """
    if file and known and file.size <= services.settings.max_cv_bytes:
        pause = pause_of_files(services.throttle, tenant=tenant.slug, remote_address=remote_address)
        if pause is not None:
            return pause
    before = cv.stored
    cv.take(file, remote_address, required=True, known=known)
    if cv.stored and cv.stored is not before:
        count_file(services.throttle, tenant=tenant.slug, remote_address=remote_address, size=cv.stored.size)
    return None


def accepted(page: FormPage, posting: Posting, fields: Mapping[str, str], remote_address: str | None) -> str:
    """Accept the application, after the form's validate(); return its reference once it is on disk. fields: as posted.

    Raises UploadGone, DifferentContent, DatabaseUnavailable.
    """
    services = page.services
    seen = look_at(
        services,
        page.tenant,
        fields,
        form_id=page.cv.form_id,
        opened=page.opened,
        remote_address=remote_address,
    )
    return accept(
        services.database,
        services.seal,
        APPLICATION,
        tenant=page.tenant,
        new=page.application(posting, seen),
        clock=services.clock,
        scanned=not services.scans,
    )
