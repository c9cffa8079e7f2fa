"""A candidate's self-service below /{slug}/profile: prove an email address, see and change the profile, follow
applications, withdraw them, download or erase all data.

It reads the candidate's record at the service and sends every change through portal/delivery. Start reading at views,
then signing_in and editing.

address_proof  codes to new addresses of a profile, and a fresh code to the session's own address
applications   routes: status of a change, applications, withdrawal, end of an alert
data_pdf       the PDF of what is stored about a candidate
data_sections  what is stored about a candidate as sections of labels and values, for the page and the PDF
draft          what was typed into a profile form whose session had ended
editing        the steps from the profile form to a change that is sent
guard          small forms, the session as a view's parameter, form tokens
own_data       routes: what is stored about a candidate, download, erasure
own_record     the candidate's record, read from the service, or the page that says why there is none; the form, the
               before-and-after comparison and the code for a new address, as pages
record_choice  routes: choose one of several profiles; the first page after sign-in
record_form    the profile as a form: rows edited without JavaScript, parsed and checked
signing_in     routes: request a code, enter it, sign out; the sealed address in an invitation's link
views          the blueprint
"""

from portal.site.account.views import blueprint

__all__ = ["blueprint"]
