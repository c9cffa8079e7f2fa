"""Details of the candidate in a CV, as returned by the process that reads it: bounded, and untrusted."""

from dataclasses import dataclass, field
from typing import Annotated

from pydantic import Field

_Text = Annotated[str, Field(max_length=300)]
_Address = Annotated[str, Field(max_length=2_048)]
_Texts = Annotated[tuple[_Text, ...], Field(max_length=12)]


@dataclass(frozen=True, slots=True)
class CvDetails:
    """Details in a CV: untrusted text from the file. None and () for uncertain facts.

    phones: as written, most likely first; they can be interpreted once a country is known.
    """

    given_name: _Text | None = field(default=None, repr=False)
    family_name: _Text | None = field(default=None, repr=False)
    email: _Text | None = field(default=None, repr=False)
    phones: _Texts = field(default=(), repr=False)
    profile_url: _Address | None = field(default=None, repr=False)
