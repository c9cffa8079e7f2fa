"""Senders of a form of the scene: a person, who fills it in slowly, and a bot."""

from portal.background.outbox.states import HeldFor
from tests.delivery.scene import Scene
from tests.site.apply.applicant import Applicant

PERSON = 30.0
"""Seconds."""


def bots(scene: Scene, word: str, *, tenant: str = "acme") -> None:
    """Set the tenant file's setting for bots."""
    file = scene.folder / "tenants" / f"{tenant}.toml"
    file.write_text(file.read_text().replace("[apply]\n", f'[apply]\nbots = "{word}"\n'))
    scene.clock.pass_time(1)


def send(
    scene: Scene, name: str = "ada", *, seconds: float = PERSON, tenant: str = "acme", job: str = "job-1", **typed: str
) -> str:
    """Open the form and send it after that many seconds; return the reference."""
    with scene.browser() as client:
        form = Applicant(client, f"/{tenant}/jobs/{job}/apply")
        scene.clock.pass_time(seconds)
        return reference_of(form.receipt(**{"email": f"{name}@people.example", **typed}))


def reference_of(address: str) -> str:
    return address.rpartition("/")[2].partition("?")[0]


def held_for(scene: Scene, reference: str) -> HeldFor | str | None:
    return scene.overview(reference).held_for
