"""Every kind of delivery that this portal has, by name."""

from portal.applications.kind import APPLICATION
from portal.deliveries.kinds import Kinds
from portal.records.kind import CHANGE

KINDS: Kinds = {kind.name: kind for kind in (APPLICATION, CHANGE)}
