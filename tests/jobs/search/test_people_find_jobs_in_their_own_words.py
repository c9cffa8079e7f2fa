import sqlalchemy as sa

from portal.jobs.posting import Hit, Sort
from portal.jobs.tables import vacancy_words
from tests.jobs.conftest import Mirror
from tests.jobs.standin import vacancy


def shown(hit: Hit) -> tuple[list[str], list[str]]:
    title, summary = hit.posting.title, hit.summary
    return [title[a:b] for a, b in hit.title_marks], [summary[a:b] for a, b in hit.summary_marks]


def put(mirrored: Mirror, *jobs: tuple[str, str]) -> None:
    for number, (title, text) in enumerate(jobs):
        mirrored.service.put(vacancy(f"v{number}", title, description=f"<p>{text}</p>"))
        mirrored.clock.pass_time(60)
    mirrored.sync()


def test_words_may_be_in_any_order_and_all_must_match(mirrored: Mirror):
    put(mirrored, ("Senior Software Developer", "You write code."), ("Senior Nurse", "You care for the people."))
    assert mirrored.titles("developer senior") == ["Senior Software Developer"]
    assert mirrored.titles("software nurse") == []


def test_words_are_found_in_other_forms(mirrored: Mirror):
    put(
        mirrored,
        ("Software Developer", "You will be developing for the team and with the team."),
        ("Krankenpfleger", "Wir suchen für die Häuser in der Stadt einen Pfleger und das ist gut für dich."),
        ("Développeur", "Nous cherchons pour notre équipe des ingénieurs qui sont avec nous dans les projets."),
    )
    assert mirrored.titles("developers") == ["Software Developer", "Développeur"]  # the second by its occupation
    assert mirrored.titles("haus stadt") == ["Krankenpfleger"]
    assert mirrored.titles("ingénieur projet") == ["Développeur"]


def test_another_form_is_found_with_its_accents(mirrored: Mirror):
    put(mirrored, ("Analista", "Você faz programações para a nossa equipe e não é só isso."))
    assert mirrored.titles("programação") == ["Analista"]


def test_only_words_of_public_jobs_are_indexed(mirrored: Mirror):
    put(mirrored, ("Nurse", "x"), ("Baker", "y"), ("Pilot", "z"))
    mirrored.service.put(vacancy("v0", "Nurse", stage="Filled"))
    mirrored.sync()
    mirrored.service.delete("v2")
    mirrored.sync(full=True)
    with mirrored.database.read() as connection:
        (indexed,) = connection.scalars(sa.select(vacancy_words.c.title)).all()
    assert indexed.endswith(" bak baker")


def test_accents_and_case_are_ignored(mirrored: Mirror):
    put(mirrored, ("Ingénieur Qualité", "Nous sommes une équipe."), ("Köchin", "Für die Küche."))
    assert mirrored.titles("INGENIEUR qualite") == ["Ingénieur Qualité"]
    assert mirrored.titles("kochin") == ["Köchin"]
    assert mirrored.titles("KÖCHIN") == ["Köchin"]


def test_the_last_word_may_be_incomplete(mirrored: Mirror):
    put(mirrored, ("Warehouse Manager", "x"), ("Nurse", "y"))
    assert mirrored.titles("wareh") == ["Warehouse Manager"]
    assert mirrored.titles("warehouse man") == ["Warehouse Manager"]
    assert mirrored.titles("wareh manager") == []


def test_a_misspelling_is_corrected_only_when_nothing_matches(mirrored: Mirror):
    put(mirrored, ("Software Developer", "We write code."), ("Florist", "Flowers."))
    found = mirrored.find("sofware develpoer")
    assert [hit.posting.title for hit in found.hits] == ["Software Developer"]
    assert found.corrected == "software developer"
    assert mirrored.find("florist").corrected is None
    assert mirrored.find("xyzzyq").corrected is None
    assert mirrored.find("xyzzyq").total == 0


def test_a_correction_never_reveals_words_of_unpublished_jobs(mirrored: Mirror):
    mirrored.service.put(vacancy("draft", "Acquisition of Umbrella", stage="Draft"))
    mirrored.service.put(vacancy("open", "Nurse"))
    mirrored.sync()
    assert mirrored.find("umbrela").corrected is None
    assert mirrored.find("acquisitoin").corrected is None


def test_a_match_in_the_title_precedes_one_in_the_text(mirrored: Mirror):
    put(
        mirrored,
        ("Java Developer", "Old but meant."),
        ("Office Manager", "You help a java developer."),
        ("Java Architect", "No developer, though one says developer."),
    )
    assert mirrored.titles("java developer") == ["Java Developer", "Java Architect", "Office Manager"]
    assert mirrored.titles("java developer", sort=Sort.DATE)[0] in {
        "Java Developer",
        "Office Manager",
        "Java Architect",
    }


def test_matches_are_marked_in_the_original_text(mirrored: Mirror):
    put(mirrored, ("Développeur C++ (m/w/d)", f"{'Wort ' * 100} und die Entwicklung in C++ ist für uns das Ziel."))
    hit = mirrored.find("developpeur c++").hits[0]
    assert shown(hit) == (["Développeur", "C++"], ["C++"])
    assert hit.summary.startswith("… ")
    assert len(hit.summary) < 260


def test_names_of_programming_languages_with_symbols_are_found(mirrored: Mirror):
    put(mirrored, ("C# Developer", "x"), ("C++ Developer", "y"), (".NET Developer", "z"), ("C Developer", "w"))
    assert mirrored.titles("c#") == ["C# Developer"]
    assert mirrored.titles("c++ developer") == ["C++ Developer"]
    assert mirrored.titles(".net developer") == [".NET Developer"]


def test_a_hyphen_is_ignored_when_the_job_has_it(mirrored: Mirror):
    put(mirrored, ("Front-End Developer", "x"))
    assert mirrored.titles("frontend developer") == ["Front-End Developer"]
    assert mirrored.titles("front end developer") == ["Front-End Developer"]


def test_locations_are_searchable_words(mirrored: Mirror):
    mirrored.service.put(vacancy("a", "Baker", location={"city": "Köln", "country": "Deutschland"}))
    mirrored.service.put(vacancy("b", "Baker", location={"city": "Wien", "country": "AT"}))
    mirrored.sync()
    assert [h.posting.id for h in mirrored.find("baker koln").hits] == ["a"]
    assert [h.posting.id for h in mirrored.find("baker austria").hits] == ["b"]


def test_other_scripts_are_found(mirrored: Mirror):
    put(mirrored, ("软件工程师", "我们在找你。"), ("Инженер", "Мы ищем инженеров для работы в команде."))
    assert mirrored.titles("工程师") == ["软件工程师"]
    assert mirrored.titles("инженера") == ["Инженер"]


def test_no_query_is_treated_as_syntax(mirrored: Mirror):
    put(mirrored, ("Nurse", "x"))
    for text in [
        '"',
        "nurse OR",
        "NOT nurse",
        "a* b^2",
        "words:nurse",
        "(nurse",
        "nurse)",
        "NEAR(a b)",
        "'; --",
        "\x00",
        "&|!",
        "%",
        "*",
    ]:
        mirrored.find(text)
    assert mirrored.titles("nurse'\"*()") == ["Nurse"]


def test_text_without_any_word_narrows_nothing(mirrored: Mirror):
    put(mirrored, ("Nurse", "x"))
    assert mirrored.titles("!!! ???") == ["Nurse"]


def test_words_of_other_scripts_are_found_in_latin_letters(mirrored: Mirror):
    put(mirrored, ("软件工程师", "我们在找你。"), ("Инженер", "Мы ищем людей."), ("Βοηθός", "Για την ομάδα μας."))
    assert mirrored.titles("gong cheng") == ["软件工程师"]
    assert mirrored.titles("inzhener") == ["Инженер"]
    assert mirrored.titles("voithos") == ["Βοηθός"]
