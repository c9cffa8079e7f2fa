"""Jobs of the demo are found by their everyday titles, in every language."""

import json
from datetime import UTC, datetime

from portal.demo.vacancies import records
from portal.jobs.search.occupations import in_title
from portal.jobs.search.words import terms_of, without_gender_markers

TITLES = [
    record["record"]["name"]["name"]
    for slug in ("acme", "globex")
    for record in map(json.loads, records(slug, datetime(2031, 5, 6, tzinfo=UTC)))
    if record["kind"] == "vacancy"
]
NURSE, SELLER = "Pflegefachperson Intensivstation (m/w/d)", "Vendeur / Vendeuse, boutique de l’hôtel"
TYPED = {
    "nurse": NURSE,
    "Krankenschwester": NURSE,
    "Krankenpfleger": NURSE,
    "midwife": "Hebamme",
    "Lehrer": "Teacher of Mathematics",
    "Kellner": "Serveur / Serveuse, saison d’hiver",
    "doctor": "Consultant Anaesthetist, four-month locum",
    "programmer": "Mobile Developer",
    "warehouse": "Lagermitarbeiter:in, befristet auf sechs Monate",
    "Verkäufer": SELLER,
}


def found(typed: str) -> set[str]:
    meant = {token for term in terms_of(typed, ["en"], by_occupation=True) for token in term.occupations}
    return {title for title in TITLES if meant & in_title(without_gender_markers(title))}


def test_everyday_titles_find_the_right_job():
    assert [typed for typed, title in TYPED.items() if title not in found(typed)] == []


def test_everyday_titles_find_no_unrelated_jobs():
    assert found("nurse") == {NURSE}
    assert found("Lehrer") == {"Teacher of Mathematics"}
    assert found("Kellner") == {"Serveur / Serveuse, saison d’hiver"}
    assert found("Verkäufer") == {SELLER}
    assert found("midwife") == {"Hebamme"}
