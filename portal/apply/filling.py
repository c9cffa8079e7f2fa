"""What the CV says, offered to who fills the form: field by field with a script, at once without. Nothing is kept."""

from werkzeug.datastructures import MultiDict

from portal.attachments.reading.said import CvSaid
from portal.tenants.model import Tenant
from portal.web.application_form import ApplicationForm
from portal.web.cv_offer import offer
from portal.web.fields.typed import TypedField


def offered(tenant: Tenant, said: CvSaid | None, typed: MultiDict[str, str] | None = None) -> dict[str, str]:
    """Name of a field → what is offered for it, of those in which nothing is typed."""
    if said is None:
        return {}
    form = ApplicationForm(typed, tenant=tenant)
    region = (form.country.data or "").strip().upper() or tenant.apply.phone_region
    found = {form[member].name: value for member, value in offer(said, region).by_field().items()}
    return {name: value for name, value in found.items() if not (typed and typed.get(name, "").strip())}


def filled(tenant: Tenant, said: CvSaid | None, typed: MultiDict[str, str]) -> ApplicationForm:
    """The form with what is offered in its empty fields; each of them says so."""
    more = offered(tenant, said, typed)
    form = ApplicationForm(MultiDict({**typed.to_dict(), **more}), tenant=tenant)
    for field in form:
        if isinstance(field, TypedField):
            field.from_cv = field.name in more
    return form
