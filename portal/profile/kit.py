"""What every view of self-service is handed."""

from collections.abc import Callable
from dataclasses import dataclass

from portal.profile.asking_limit import AskingLimit
from portal.profile.formtoken import FormSigner
from portal.profile.invitation import Invitations
from portal.profile.patience import Patience
from portal.sealing import Seal
from portal.tenants.model import Tenant
from portal.upstream.client import Upstream
from portal.web.services import Services


@dataclass(frozen=True, slots=True)
class Kit:
    """One of these per application."""

    services: Services
    patience: Patience
    seal: Seal
    signer: FormSigner
    limit: AskingLimit
    invitations: Invitations

    @classmethod
    def of(cls, services: Services, upstream: Callable[[Tenant], Upstream]) -> "Kit":
        """Built from the settings. upstream: the client of a tenant's service."""
        settings = services.settings
        return cls(
            services=services,
            patience=Patience(upstream, services.clock),
            seal=Seal(settings.secret_key, settings.secret_key_fallbacks),
            signer=FormSigner(settings),
            limit=AskingLimit(settings.rate_limits, services.clock),
            invitations=Invitations(settings),
        )
