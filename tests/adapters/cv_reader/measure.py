"""Compares the suggestions of the CV reader with the correct values."""

import io
from collections import Counter
from dataclasses import dataclass, field

from portal.adapters.cv_reader.cv import read_cv
from portal.adapters.cv_reader.result import CvDetails
from portal.site.apply.application import CvSuggestions, suggest
from portal.site.forms.fields import link, phone
from tests.adapters.cv_reader.corpus import Sample


@dataclass
class Measured:
    """right, wrong, lacking: counts by field. notes: incorrect suggestions, for people."""

    right: Counter[str] = field(default_factory=Counter)
    wrong: Counter[str] = field(default_factory=Counter)
    lacking: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)

    def share(self, name: str) -> float:
        """Return the share of CVs with this field in which it was found."""
        return self.right[name] / max(1, self.right[name] + self.wrong[name] + self.lacking[name])

    @property
    def wrong_share(self) -> float:
        """Return the share of wrong suggestions among all."""
        return self.wrong.total() / max(1, self.wrong.total() + self.right.total())


def measured(samples: list[Sample]) -> Measured:
    """Read each sample as the form does, and compare the suggestions."""
    found = Measured()
    for sample in samples:
        said = suggest(read_cv(io.BytesIO(sample.content), sample.extension) or CvDetails(), sample.person.region)
        for name, (given, true) in _pairs(sample, said).items():
            if not given and not true:
                continue
            what = found.lacking if not given else found.right if given == true else found.wrong
            what[name] += 1
            if given != true:
                found.notes.append(f"{sample.person.number} {sample.design} {name}: {given!r} for {true!r}")
    return found


def _pairs(sample: Sample, said: CvSuggestions) -> dict[str, tuple[str | None, str | None]]:
    """Yield each field's suggestion and correct value; the two parts of a name are one field."""
    person = sample.person
    true = (
        (None,) * 4
        if sample.is_scanned
        else (
            f"{person.given}|{person.family}",
            person.mail,
            person.e164,
            link.parse(person.profile) and link.parse(person.profile.replace("https://", "https://")),
        )
    )
    given = (
        f"{said.first_name}|{said.last_name}" if said.last_name else None,
        said.email,
        phone.parse(said.phone_number) if said.phone_number else None,
        said.network_url and said.network_url.rstrip("/"),
    )
    names = ("name", "email", "phone", "profile")
    return dict(zip(names, zip(given, (*true[:3], true[3] and true[3].rstrip("/")), strict=True), strict=True))
