"""Words of CVs in English, German, French, Spanish, Polish, Italian, Dutch and Arabic, compared without accents."""

import re
from functools import lru_cache

from anyascii import anyascii


@lru_cache(maxsize=4_000)
def plain(text: str) -> str:
    """Return text in lower-case ASCII letters, the form in which words are compared."""
    return anyascii(text).lower().strip() if not text.isascii() else text.lower().strip()


def _set(words: str) -> frozenset[str]:
    return frozenset(plain(" ".join(word.split())) for word in words.split(","))


TITLES_OF_A_CV = _set("""
curriculum vitae, curriculum, cv, resume, résumé, lebenslauf, tabellarischer lebenslauf, vita, życiorys,
currículum, currículum vítae, hoja de vida, levensloop, curriculum vitae et studiorum, bewerbung,
bewerbungsunterlagen, candidature, السيرة الذاتية, سيرة ذاتية, europass, dossier de candidature, personal
resume, curriculum vitae europeo, about me, profile
""")

SECTIONS = _set("""
profile, experience, work experience, professional experience, employment, employment history, work history, career,
education, skills, key skills, technical skills, languages, projects, publications, certifications,
certificates, interests, hobbies, summary, objective, career objective, awards, training, volunteering,
achievements, core competencies, professional summary, about, expertise, qualifications, competencies, what i
do, work, honours, honors, personal statement, berufserfahrung, beruflicher werdegang, werdegang, ausbildung,
studium, bildungsweg, kenntnisse, fähigkeiten, sprachen, sprachkenntnisse, projekte, interessen, praktika,
weiterbildung, zertifikate, kompetenzen, edv-kenntnisse, profil, kurzprofil, über mich, schulbildung, berufliche
erfahrung, it-kenntnisse, ehrenamt, publikationen, qualifikationen, expérience, expériences, expérience
professionnelle, expériences professionnelles, formation, formations, compétences, langues, centres d'intérêt,
loisirs, projets, profil professionnel, diplômes, à propos, parcours, parcours professionnel, experiencia,
experiencia laboral, experiencia profesional, formación, formación académica, educación, idiomas, habilidades,
competencias, aptitudes, intereses, proyectos, perfil, perfil profesional, sobre mí, estudios, logros,
doświadczenie, doświadczenie zawodowe, wykształcenie, umiejętności, języki, języki obce, zainteresowania, kursy,
szkolenia, edukacja, projekty, o mnie, kursy i szkolenia, podsumowanie zawodowe, certyfikaty, prawo jazdy,
esperienza, esperienze, esperienza professionale, esperienze professionali, istruzione, istruzione e formazione,
competenze, lingue, interessi, progetti, profilo, profilo professionale, formazione, capacità e competenze
personali, werkervaring, ervaring, opleiding, opleidingen, vaardigheden, talen, hobby's, projecten, profiel,
cursussen, over mij, الخبرة, الخبرة العملية, الخبرات, الخبرات العملية, التعليم, المؤهلات, المؤهلات العلمية,
المهارات, اللغات, الدورات, الهوايات, الملخص, الهدف الوظيفي, نبذة, نبذة عني, الشهادات, الملخص المهني, المؤهل
العلمي, المشاريع
""")

CONTACT_SECTIONS = _set("""
contact, contact details, contact information, personal details, personal information, personal data, details,
address, kontakt, kontaktdaten, persönliche daten, persönliche angaben, angaben zur person, zur person,
anschrift, adresse, contact info, coordonnées, informations personnelles, état civil, données personnelles,
datos personales, contacto, datos de contacto, información personal, información de contacto, dirección, dane
osobowe, dane kontaktowe, adres, dati personali, contatti, informazioni personali, recapiti, indirizzo,
persoonlijke gegevens, persoonsgegevens, contactgegevens, البيانات الشخصية, معلومات الاتصال, المعلومات الشخصية,
التواصل, بيانات الاتصال, الاتصال, get in touch, links
""")

OF_OTHERS = _set("""
references, referees, reference, professional references, references available, referenzen, referenz, référence,
références, referencia, referencias, referencje, referenze, referenties, referentie, المراجع, المعرفون, مراجع,
emergency contact, notfallkontakt, personnes à contacter, recommandations, recommendations, empfehlungen,
personas de contacto
""")

EMPLOYER = re.compile(
    r"\b(?:manager|supervisor|reports? to|referee|reference|vorgesetzte[rn]?|ansprechpartner(?:in)?|referenz|chef|"
    r"superieur|responsable|jefe|jefa|przelozon[ya]|kierownik|responsabile|leidinggevende|almdyr|employer|arbeitgeber)\b"
)

PHONE = re.compile(
    r"\b(?:tel|telefon|telefonnummer|telephone|tele?fono|telefoon|phone|mobil|mobile|mobiltelefon|mobilfunk|handy|cell|"
    r"cellulare|cell\.|movil|portable|gsm|komorka|komorkowy|kom|mob|rufnummer|numer telefonu|telefoonnummer|whatsapp|"
    r"nr tel|t|m|p|ph|contact no)\b\.?\s*[:.)]?"
)
PHONE_ARABIC = re.compile("هاتف|جوال|موبايل|محمول|الهاتف|تليفون|تلفون")
FAX = re.compile(r"\b(?:fax|telefax|telefaks|faks)\b|فاكس")
NO_PHONE = re.compile(
    r"\b(?:iban|bic|vat|ust-?id|ust|ustid|steuer\w*|tax|nif|nie|dni|cif|pesel|nip|regon|siren|siret|bsn|btw|kvk|isbn|issn|"
    r"doi|orcid|passport|reisepass|pasaporte|passeport|codice fiscale|p\.?iva|partita iva|sozialversicherung\w*|"
    r"rentenversicherung\w*|securite sociale|konto\w*|account|matrikel\w*|student id|license|patent|"
    r"born|birth\w*|geboren|geburt\w*|geb|nee?|ne le|nacimiento|urodzeni[ae]|urodzon[ya]|nato|nata|nascita|geboorte\w*|"
    r"personalausweis\w*|id no|id number|nss)\b|تاريخ الميلاد|الهوية|جواز"
)

NAME_LABELS = _set("""
name, full name, vor- und nachname, vor- und zuname, vorname und nachname, nom et prénom, nom complet, nom et
prénoms, prénom et nom, nombre y apellidos, nombre completo, apellidos y nombre, imię i nazwisko, nazwisko i
imię, nome e cognome, cognome e nome, nome completo, nome/cognome, naam, volledige naam, voor- en achternaam,
الاسم, الاسم الكامل, الإسم, nombre
""")
FAMILY_FIRST_LABELS = _set("nom et prénom, nom et prénoms, apellidos y nombre, nazwisko i imię, cognome e nome")
GIVEN_LABELS = _set("""
first name, first names, given name, given names, forename, forenames, vorname, vornamen, rufname, prénom,
prénoms, nombre, nombres, imię, imiona, nome, voornaam, voornamen, الاسم الأول
""")
FAMILY_LABELS = _set("""
last name, surname, family name, nachname, familienname, zuname, nom, nom de famille, apellido, apellidos,
nazwisko, cognome, achternaam, اسم العائلة, اللقب, الكنية
""")

NO_NAMES = _set("""
engineer, engineering, developer, development, software, senior, junior, manager, management, lead, leader,
head, director, designer, design, analyst, data, scientist, science, consultant, specialist, assistant, officer,
administrator, architect, product, project, marketing, sales, finance, accountant, nurse, teacher, lecturer,
professor, researcher, student, intern, trainee, technician, electrician, welder, mechanic, driver, cook, chef,
executive, coordinator, supervisor, operator, editor, writer, photographer, artist, lawyer, physician, doctor,
pharmacist, advisor, associate, expert, freelance, freelancer, graduate, business, human, resources, customer,
service, support, quality, web, full, stack, frontend, backend, devops, cloud, security, systems, system,
network, it, hr, ui, ux, machine, learning, mechatronics, mechanical, electrical, civil, biomedical, clinical,
registered, certified, professional, and, of, the, for, with, in, at, to, university, college, school,
institute, gmbh, ltd, inc, ag, se, kg, bv, sa, sl, srl, spa, llc, group, company, street, road, avenue, date,
birth, page, phone, mobile, email, e-mail, mail, telephone, address, nationality, married, single, gender, male,
female, website, linkedin, github, xing, available, confidential, entwickler, entwicklerin, softwareentwickler,
softwareentwicklerin, ingenieur, ingenieurin, maschinenbauingenieur, leiter, leiterin, kaufmann, kauffrau,
sachbearbeiter, sachbearbeiterin, referent, referentin, berater, beraterin, fachkraft, krankenschwester,
pfleger, pflegefachkraft, pflegefachfrau, lehrer, lehrerin, techniker, technikerin, mechatroniker,
mechatronikerin, elektroniker, elektronikerin, projektleiter, projektleiterin, informatiker, informatikerin,
buchhalter, buchhalterin, bilanzbuchhalter, bilanzbuchhalterin, bewerbung, als, und, fur, angestellt, staatlich,
geprufter, gepruft, diplom, meister, geselle, anlagen, burokaufmann, burokauffrau, ingenieure, developpeur,
developpeuse, chef, cheffe, projet, charge, chargee, responsable, directeur, directrice, comptable, infirmier,
infirmiere, etudiant, etudiante, technicien, technicienne, vendeur, vendeuse, assistante, commercial,
commerciale, et, en, des, logiciel, informatique, conseiller, conseillere, ingeniero, ingeniera, desarrollador,
desarrolladora, programador, programadora, gerente, administrativo, administrativa, contable, enfermero,
enfermera, profesor, profesora, tecnico, tecnica, auxiliar, disenador, disenadora, grafico, grafica, diseno,
jefe, jefa, consultor, consultora, vendedor, vendedora, abogado, abogada, arquitecto, arquitecta, comercial,
inzynier, programista, programistka, kierownik, kierowniczka, specjalista, specjalistka, ksiegowa, ksiegowy,
glowny, glowna, nauczyciel, nauczycielka, pielegniarka, asystent, asystentka, handlowiec, magazynier, kierowca,
technik, analityk, grafik, projektant, projektantka, oprogramowania, starszy, starsza, mlodszy, do, spraw, ds,
konstruktor, ingegnere, sviluppatore, sviluppatrice, impiegato, impiegata, ragioniere, infermiere, infermiera,
insegnante, tecnico, progettista, responsabile, addetto, addetta, commessa, commesso, architetto, grafico,
amministrativa, amministrativo, ontwikkelaar, medewerker, leraar, verpleegkundige, ingenieur, adviseur,
verkoper, boekhouder, projectleider, teamleider, administratief, european, union, passport, driving, licence,
license, references, summary, executive, open, source, native, fluent, weiterbildung, personliche, daten,
angaben, anlage, anlagen, foto, photo, nacionalidad, nationalität, nationalité, nazionalità, nationaliteit,
telefon, telefono, téléphone, telefoon, region, fullname, i'm, born, geboren, ledig, verheiratet,
deutsch, german, english
""") | _set("""
مهندس, مهندسة, مطور, مطورة, برمجيات, محاسب, محاسبة, معلم, معلمة, مدير, مديرة, طبيب, طبيبة, ممرض, ممرضة, مصمم,
مصممة, محلل, أخصائي, أخصائية, فني, مساعد, مساعدة, مشروع, مشاريع, تسويق, مبيعات, موارد, بشرية, مسؤول, مسؤولة,
خبير, شركة, جامعة, البيانات, المشاريع, كهرباء, مدني, ميكانيكا, جرافيك, المبيعات, التسويق
""")

PARTICLES = _set("""
van, der, den, de, ter, ten, von, vom, zu, zur, zum, da, das, do, dos, di, del, della, dello, degli, dei, la,
le, du, des, los, las, st, bin, ibn, al, el, abu, bint, ben, y, 't, op, in, het, e, d, av, af, i
""")

SECOND_GIVEN = _set("""
josé, luis, maría, carlos, antonio, ángel, jesús, manuel, pilar, carmen, isabel, fernanda, javier, alberto,
eduardo, ignacio, miguel, pablo, andrés, enrique, ramón, teresa, elena, cristina, victoria, dolores, mercedes,
soledad, alejandro, francisco, juan, ana, rosa, paula, lucía, belén, eugenia, josefa, fernando, rafael, ricardo,
sofía, laura
""")

SPANISH = _set("""
experiencia, experiencia laboral, experiencia profesional, formación, formación académica, educación, idiomas,
datos personales, habilidades, perfil profesional, perfil, contacto, sobre mí, referencias, teléfono, móvil,
correo electrónico, dirección, competencias
""")

HONORIFICS = _set("""
dr, dr., prof, prof., professor, mr, mr., mrs, mrs., ms, ms., miss, mx, mx., herr, frau, m., mme, mme., mlle,
monsieur, madame, sr, sr., sra, sra., srta., d., da., don, doña, dña., pan, pani, mgr, mgr., inż., inz., inż,
lic., lek., dott., dott.ssa, dottor, dottoressa, ing, ing., arch., avv., rag., geom., sig., sig.ra, drs., drs,
ir., ir, mr.dr., dhr., mevr., dipl.-ing., dipl.-kfm., dipl.-inf., dipl.-psych., dipl.-kffr., dipl.-wirt.-ing.,
dipl.-phys., dipl.-chem., dipl.-biol., dipl., med., rer., nat., phil., habil., h.c., pd, priv.-doz.,
univ.-prof., mag., mag, di, dkfm., b.sc., m.sc., bsc, msc, b.a., m.a., ba, ma, mba, ph.d., phd, ph.d, md, m.d.,
llm, ll.m., ll.m, b.eng., m.eng., beng, meng, cpa, rn, pe, cfa, pmp, esq., jr., jr, sr, ii, iii, fh, (fh),
(univ.), iur., jur., oec., pol., hab., dr.-ing., ing.-dr., eng., eng, (m.sc.), (b.sc.), (mba), (ph.d.), med,
techn., acca, د., م., أ., الأستاذ, الأستاذة, الدكتور, الدكتورة, المهندس, المهندسة, السيدة
""")
