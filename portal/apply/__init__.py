"""From the form to the receipt.

forms (the fields); formpage and sending put them together, receipts and notices answer.
"""

from portal.apply.views import blueprint

__all__ = ["blueprint"]
