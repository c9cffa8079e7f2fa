"""The application: from the form or the JSON API to the receipt.

A post is parsed and checked here and accepted by portal/delivery; the answer is a receipt, or the form with what was
typed. Start reading at views, then application and form_page.

views          the blueprint: routes of form, proof of work, receipt, JSON API and uploads
application    one application in one request, the same for form and JSON API
form_page      the form as a page
notices        sentences above a form that is returned
json_api       applications sent as JSON by a tenant's own front end
json_body      the body of such a request, and the models of its responses
json_errors    everything that is wrong with it, reported at once
direct_upload  routes for the script that sends a CV before its form
bots           whether a bot may have sent the form, and the handling that the tenant configured
proof_of_work  the calculation that a visitor's browser is asked for, against bots
"""

from portal.site.apply.views import blueprint

__all__ = ["blueprint"]
