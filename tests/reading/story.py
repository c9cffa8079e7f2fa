"""The rest of a CV in its language: what is there of headings, jobs, schools, numbers that are no phones, and other people."""

from dataclasses import dataclass

from tests.reading.people import Person


@dataclass(frozen=True)
class Words:
    """Labels, then (heading, lines) of the sections; others: of references, the last."""

    title: str
    name: str
    phone: str
    mail: str
    address: str
    born: str
    nationality: str
    personal: str
    sections: tuple[tuple[str, tuple[str, ...]], ...]
    others: tuple[str, tuple[str, ...]]


_WORDS = {
    "en": Words(
        "Curriculum Vitae", "Name", "Phone", "E-mail", "Address", "Date of birth: 14/03/1988", "Nationality: British", "Personal details",
        (
            ("Profile", ("Ten years of building things that people use every day, in Paris, Oslo and Boston.",)),
            ("Work Experience", ("2019 – 2023  Northwind Traders Ltd, 1 Harbour Street, Manchester M1 1AE", "Led a team of 12; budget 1 200 000; contact: office@northwind.example, +44 161 496 0000", "06/2014 - 12/2018  Contoso, Dublin", "Cut costs by 35 % and ran 24 releases")),
            ("Education", ("2010-2014  University of Oxford, B.Sc.", "2008.09 - 2010.06 St Mary School")),
            ("Skills", ("Python, SQL, Excel", "VAT GB 123 4567 89", "Driving licence B")),
        ),
        ("References", ("Helen Baker, Head of Operations", "helen.baker@northwind.example", "+44 161 496 0001")),
    ),
    "de": Words(
        "Lebenslauf", "Name", "Telefon", "E-Mail", "Anschrift", "Geburtsdatum: 14.03.1988 in Hamburg", "Staatsangehörigkeit: deutsch", "Persönliche Daten",
        (
            ("Berufserfahrung", ("01/2019 – heute  Nordlicht Maschinen GmbH, Industriestr. 8, 28195 Bremen", "Leitung eines Teams von 12 Personen, Budget 1.200.000 Euro", "06.2014 - 12.2018  Weberei Sommer AG, Augsburg, info@weberei.example, Tel. 0821 5550100")),
            ("Ausbildung", ("2010-2014  Technische Universität Dresden, Diplom", "01.09.2008 - 30.06.2010 Gymnasium Pirna")),
            ("Kenntnisse", ("SAP, Excel, Englisch fließend", "USt-IdNr. DE 123456789", "IBAN DE89 3704 0044 0532 0130 00")),
        ),
        ("Referenzen", ("Frau Helga Sommer, Vorgesetzte", "helga.sommer@weberei.example", "0821 5550101")),
    ),
    "fr": Words(
        "Curriculum Vitae", "Nom et prénom", "Tél", "E-mail", "Adresse", "Née le 14/03/1988 à Dijon", "Nationalité : française", "État civil",
        (
            ("Expérience professionnelle", ("2019 – 2023  Ateliers du Nord SARL, 8 rue des Fleurs, 67000 Strasbourg", "Équipe de 12 personnes, budget 1 200 000 euros", "06/2014 - 12/2018  Maison Blanche, Reims, contact@maisonblanche.example")),
            ("Formation", ("2010-2014  Université de Lorraine, Master", "2008 - 2010  Lycée Pasteur")),
            ("Compétences", ("Excel, SAP, anglais courant", "SIRET 123 456 789 00012", "N° de sécurité sociale 2 88 03 21 231 001 12")),
        ),
        ("Références", ("Paul Girard, directeur", "paul.girard@ateliers.example", "03 88 00 00 01")),
    ),
    "es": Words(
        "Currículum Vitae", "Nombre y apellidos", "Teléfono", "Correo electrónico", "Dirección", "Fecha de nacimiento: 14/03/1988", "Nacionalidad: española", "Datos personales",
        (
            ("Perfil profesional", ("Diez años de experiencia en equipos de Lisboa y Roma.",)),
            ("Experiencia laboral", ("2019 – 2023  Talleres del Norte S.L., Calle Sol 8, 50001 Zaragoza", "Equipo de 12 personas, presupuesto de 1.200.000 euros", "06/2014 - 12/2018  Casa Blanca, Murcia, info@casablanca.example, tel. 968 000 000")),
            ("Formación académica", ("2010-2014  Universidad de Granada", "2008 - 2010  IES Cervantes")),
            ("Idiomas", ("Inglés C1", "DNI 12345678Z", "IBAN ES91 2100 0418 4502 0005 1332")),
        ),
        ("Referencias", ("Rosa Molina, directora", "rosa.molina@talleres.example", "976 000 001")),
    ),
    "pl": Words(
        "Życiorys", "Imię i nazwisko", "Telefon", "E-mail", "Adres", "Data urodzenia: 14.03.1988", "Obywatelstwo: polskie", "Dane osobowe",
        (
            ("Doświadczenie zawodowe", ("2019 – obecnie  Północ Sp. z o.o., ul. Morska 8, 81-001 Gdynia", "Zespół 12 osób, budżet 1 200 000 zł", "06.2014 - 12.2018  Tkalnia Słońce, Łódź, biuro@tkalnia.example, tel. 42 555 01 00")),
            ("Wykształcenie", ("2010-2014  Politechnika Gdańska", "2008 - 2010  Liceum w Sopocie")),
            ("Umiejętności", ("SAP, Excel, angielski C1", "PESEL 88031412345", "NIP 123-456-78-90")),
        ),
        ("Referencje", ("Halina Morska, kierownik", "halina.morska@polnoc.example", "58 555 01 01")),
    ),
    "it": Words(
        "Curriculum Vitae Europeo", "Nome e cognome", "Cellulare", "E-mail", "Indirizzo", "Data di nascita: 14/03/1988", "Nazionalità: italiana", "Dati personali",
        (
            ("Esperienza professionale", ("2019 – 2023  Officine del Nord S.r.l., Via Sole 8, 37121 Verona", "Gruppo di 12 persone, budget 1.200.000 euro", "06/2014 - 12/2018  Casa Bianca, Parma, info@casabianca.example")),
            ("Istruzione e formazione", ("2010-2014  Università di Padova", "2008 - 2010  Liceo Galilei")),
            ("Competenze", ("Excel, inglese C1", "P.IVA 01234567890", "Codice fiscale RSSGLI88C54F205X")),
        ),
        ("Referenze", ("Rosa Verdi, direttrice", "rosa.verdi@officine.example", "045 000 0001")),
    ),
    "nl": Words(
        "Curriculum Vitae", "Naam", "Telefoon", "E-mail", "Adres", "Geboortedatum: 14-03-1988", "Nationaliteit: Nederlandse", "Persoonlijke gegevens",
        (
            ("Werkervaring", ("2019 – heden  Noorderzon B.V., Havenstraat 8, 9711 AA Groningen", "Team van 12 mensen, budget 1.200.000 euro", "06/2014 - 12/2018  Weverij De Zon, Tilburg, info@weverij.example")),
            ("Opleiding", ("2010-2014  Universiteit Leiden", "2008 - 2010  VWO Haarlem")),
            ("Vaardigheden", ("Excel, SAP, Engels vloeiend", "KvK 12345678", "BSN 123456782")),
        ),
        ("Referenties", ("Marijke Zon, leidinggevende", "marijke.zon@noorderzon.example", "050 555 0101")),
    ),
    "ar": Words(
        "السيرة الذاتية", "الاسم", "الهاتف", "البريد الإلكتروني", "العنوان", "تاريخ الميلاد: 14/03/1988", "الجنسية: عربية", "البيانات الشخصية",
        (
            ("الخبرة العملية", ("2019 - 2023 شركة النور، جدة", "فريق من 12 شخصا", "2014 - 2018 شركة الشمس، بيروت، info@shams.example")),
            ("التعليم", ("2010 - 2014 جامعة بغداد",)),
            ("المهارات", ("Excel, SAP", "اللغة الإنجليزية")),
        ),
        ("المراجع", ("سعيد النجار، مدير", "saeed.najjar@noor.example", "+962 6 555 0101")),
    ),
}


def words(person: Person) -> Words:
    """In the language of their CV."""
    return _WORDS[person.language]
