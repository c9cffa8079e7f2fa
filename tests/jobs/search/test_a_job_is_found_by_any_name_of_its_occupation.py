"""A job title in one language finds the jobs with an equivalent title in another."""

import pytest

from portal.jobs.posting import Sort
from portal.jobs.search.occupations import name_of
from tests.jobs.conftest import Mirror
from tests.jobs.standin import vacancy

JOBS = {
    "nurse": "Pflegefachperson Intensivstation (m/w/d)",
    "midwife": "Hebamme",
    "doctor": "Consultant Anaesthetist, four-month locum",
    "teacher": "Teacher of Mathematics",
    "waiter": "Serveur / Serveuse, saison d’hiver",
    "programmer": "Mobile Developer",
    "warehouse": "Lagermitarbeiter:in, befristet",
    "seller": "Sales assistant, museum shop",
    "office": "Office Manager",
    "open": "Open application",
}


TYPED = {
    "nurse": "nurse",
    "Krankenschwester": "nurse",
    "Krankenpfleger": "nurse",
    "infirmière": "nurse",
    "verpleegkundige": "nurse",
    "ممرضة": "nurse",
    "midwife": "midwife",
    "Lehrer": "teacher",
    "Mathematiklehrerin": "teacher",
    "nauczyciel": "teacher",
    "Kellner": "waiter",
    "Kellner*in": "waiter",
    "Kellnerinnen": "waiter",
    "cameriere": "waiter",
    "doctor": "doctor",
    "Arzt": "doctor",
    "طبيب": "doctor",
    "programmer": "programmer",
    "Softwareentwickler (m/w/d)": "programmer",
    "warehouse": "warehouse",
    "Verkäufer": "seller",
    "Verkäufer/in": "seller",
    "vendeuse": "seller",
}


@pytest.fixture
def jobs(mirrored: Mirror) -> Mirror:
    for key, title in JOBS.items():
        mirrored.service.put(vacancy(key, title, description="<p>x</p>"))
    mirrored.sync()
    return mirrored


def found(mirrored: Mirror, text: str) -> list[str]:
    return [hit.posting.id for hit in mirrored.find(text).hits]


def test_a_job_is_found_in_any_language(jobs: Mirror):
    assert {typed: found(jobs, typed) for typed in TYPED} == {typed: [meant] for typed, meant in TYPED.items()}


def test_jobs_with_the_typed_title_come_first(jobs: Mirror):
    jobs.service.put(vacancy("exact", "Krankenschwester", description="<p>x</p>"))
    jobs.service.put(vacancy("text", "Driver", description="<p>You drive a nurse.</p>"))
    jobs.sync()
    jobs.service.put(vacancy("newest", "Pflegekraft", description="<p>x</p>"))
    jobs.sync()
    assert found(jobs, "Krankenschwester") == ["exact", "newest", "nurse"]
    assert found(jobs, "nurse") == ["newest", "exact", "nurse", "text"]


def test_only_jobs_found_by_their_occupation_are_marked_so(jobs: Mirror):
    jobs.service.put(vacancy("exact", "Krankenschwester", description="<p>x</p>"))
    jobs.sync()
    for sort in Sort:
        hits = {hit.posting.id: hit.occupation for hit in jobs.find("Krankenschwester", sort=sort).hits}
        assert hits["exact"] is None
        assert name_of(hits["nurse"] or "", "en") == "nurse"
        assert name_of(hits["nurse"] or "", "de") == "Krankenpfleger/Krankenschwester"


def test_all_other_words_must_match_as_well(jobs: Mirror):
    jobs.service.put(vacancy("night", "Krankenpfleger Nachtdienst", description="<p>x</p>"))
    jobs.sync()
    assert found(jobs, "nurse Nachtdienst") == ["night"]
    assert found(jobs, "Nachtdienst nurse") == ["night"]


def test_a_few_letters_of_a_word_name_no_occupation(jobs: Mirror):
    assert found(jobs, "nur") == []
    assert found(jobs, "manager") == ["office"]
