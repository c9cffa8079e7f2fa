"""From the form to the receipt.

Pure: text, phone, email_address, link, countries, origin, and refusal with its words. Around them: body (what was
posted), forms (the fields), formtoken (what is signed), sending_limit; formpage and sending put them together.
"""

from portal.apply.views import blueprint

__all__ = ["blueprint"]
