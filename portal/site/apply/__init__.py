"""The application: from the form or the JSON API to the receipt.

A post is parsed and checked here and accepted by portal/delivery; the answer is a receipt, or the form with what was
typed. Start reading at views, then application (one object per request), form_page (the form), json_api (programs) and
direct_upload (the form's script).
"""

from portal.site.apply.views import blueprint

__all__ = ["blueprint"]
