"""Job alerts: subscribe to a search by email, confirm it, renew it, end it.

Pages and forms are here; portal/jobs/alerts stores the subscriptions and sends the emails. Start reading at views.

views    the blueprint
"""

from portal.site.alerts.views import blueprint

__all__ = ["blueprint"]
