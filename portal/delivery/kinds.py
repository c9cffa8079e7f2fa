"""Every kind of delivery of this portal, by name."""

from portal.delivery.applications.kind import APPLICATION
from portal.delivery.envelopes.kinds import Kinds
from portal.delivery.record_changes.kind import CHANGE

KINDS: Kinds = {kind.name: kind for kind in (APPLICATION, CHANGE)}
