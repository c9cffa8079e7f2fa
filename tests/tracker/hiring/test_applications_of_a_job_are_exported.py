"""A recruiter exports a job's applications as CSV, in which no cell is a formula, and as JSON."""

import csv
import io

import pytest

from tests.tracker.hiring.site import READER, RECRUITER, HiringSite
from tests.tracker.office import submission


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\tx", " =1+1", "\uff1d1+1"])
def test_formulas_become_text_in_csv(hiring: HiringSite, name: str):
    job = hiring.office.add_vacancy()
    hiring.office.public.post(f"/acme/vacancy-portal/jobs/{job}", json=submission(firstName=name))
    response = hiring.signed_in(RECRUITER).post(f"/jobs/{job}/export.csv")
    assert response.headers["content-disposition"] == 'attachment; filename="applications.csv"'
    assert response.content.startswith(b"\xef\xbb\xbf")  # otherwise Excel assumes another encoding
    header, row = csv.reader(io.StringIO(response.content.decode("utf-8-sig")))
    assert header == ["applied", "name", "email", "phone", "place", "stage"]
    assert row[1].startswith(("'", "\ufffd"))
    assert row[3].startswith("'+49")


@pytest.mark.parametrize("name", ["a;=1+1;b", 'a";"=1+1;b', "a; -1", "a;\uff1d1", "a;;@SUM(A1)"])
def test_formulas_after_semicolons_become_text(hiring: HiringSite, name: str):
    job = hiring.office.add_vacancy()
    hiring.office.public.post(f"/acme/vacancy-portal/jobs/{job}", json=submission(firstName=name))
    text = hiring.signed_in(RECRUITER).post(f"/jobs/{job}/export.csv").content.decode("utf-8-sig")
    cells = [cell.strip(' "') for line in csv.reader(io.StringIO(text), delimiter=";") for cell in line]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\uff1d"))]
    assert len(cells) > 2


def test_json_contains_applications_unchanged(hiring: HiringSite):
    job = hiring.office.add_vacancy()
    hiring.office.public.post(f"/acme/vacancy-portal/jobs/{job}", json=submission(firstName="=1"))
    (row,) = hiring.signed_in(RECRUITER).post(f"/jobs/{job}/export.json").json()
    assert (row["name"], row["email"], row["place"]) == ("=1 Okafor", "ada@people.example", "Leipzig, DE")


def test_readers_and_other_companies_cannot_export(hiring: HiringSite):
    neighbour = hiring.office.neighbour()
    theirs = neighbour.add_vacancy()
    neighbour.apply(theirs)
    assert hiring.signed_in(READER).post(f"/jobs/{theirs}/export.csv").status_code == 403
    assert hiring.signed_in(RECRUITER).post(f"/jobs/{theirs}/export.json").status_code == 404


def test_a_job_without_applications_has_an_empty_export(hiring: HiringSite):
    recruiter = hiring.signed_in(RECRUITER)
    assert recruiter.post(f"/jobs/{hiring.office.add_vacancy()}/export.json").json() == []
    recruiter.get("/jobs")
    assert recruiter.post("/jobs/unknown/export.csv").status_code == 404
