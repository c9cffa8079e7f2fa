"""What a CV says of its person, as it leaves the process that read it: bounded, and believed by nobody."""

from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

_Text = Annotated[str, Field(max_length=300)]
_Address = Annotated[str, Field(max_length=2_048)]
_Texts = Annotated[tuple[_Text, ...], Field(max_length=12)]


@dataclass(frozen=True, slots=True)
class CvSaid:
    """Whoever made the file chose these words. None and () where reading was not sure.

    phones, places: as they are written, the likeliest first; they mean something once a country is known.
    """

    given_name: _Text | None = field(default=None, repr=False)
    family_name: _Text | None = field(default=None, repr=False)
    email: _Text | None = field(default=None, repr=False)
    phones: _Texts = field(default=(), repr=False)
    places: _Texts = field(default=(), repr=False)
    profile_url: _Address | None = field(default=None, repr=False)
