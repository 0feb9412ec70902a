from __future__ import annotations

import json
from pathlib import Path

import pytest
from column_files import PEOPLE
from finding import find_part, label_text
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QDialogButtonBox, QLabel

from parapluie_gui.api.corpora import ReadingOptions
from parapluie_gui.commands.arguments import list_flags
from parapluie_gui.commands.options import ReadingArguments
from parapluie_gui.errors import EncodingError
from parapluie_gui.pairs.corpus import ROLES
from parapluie_gui.pairs.reading.decisions import ReadingDecisions, to_decisions
from parapluie_gui.pairs.reading.people import JUDGEMENT_ROLES
from parapluie_gui.pairs.reading.reader import open_corpus, open_text, read
from parapluie_gui.pairs.saved_plan import find_plan, save_plan
from parapluie_gui.ui.setup.column_dialog import MapperDialog
from parapluie_gui.ui.state.opening import OpeningQuestion, read_or_ask
from parapluie_gui.ui.state.reading_controls import control_names
from parapluie_gui.ui.widgets import theme
from parapluie_gui.ui.widgets.wrapped import WrappedText

ROWS = "nr;phrase;autre;avis\n" + "".join(
    f"{row};Le numéro {row} dort;{'' if row == 3 else f'Un félin <b>{row}</b>'};{row % 2}\n" for row in range(8)
)

PROBLEM, RESULT = "Problem to solve", "Resulting pairs"


@pytest.fixture
def file(tmp_path, qapp) -> Path:
    if qapp.styleSheet() != theme.style_sheet(theme.LIGHT):
        theme.apply(qapp, theme.LIGHT)
    path = tmp_path / "odd.csv"
    path.write_text(ROWS, encoding="utf-8")
    return path


def opened(qtbot, file, name="odd.csv", **question) -> MapperDialog:
    dialog = MapperDialog(OpeningQuestion(file, name, **question))
    qtbot.addWidget(dialog)
    dialog.open()
    qtbot.waitExposed(dialog)
    return dialog


@pytest.fixture
def dialog(file, qtbot) -> MapperDialog:
    return opened(qtbot, open_corpus(file))


def pick(qtbot, choice: QComboBox, text: str) -> None:
    """Pick an entry by typing its beginning, as with the keyboard."""
    choice.setFocus()
    qtbot.keyClicks(choice, text)
    assert choice.currentText().startswith(text)


def ok(dialog: MapperDialog):
    return dialog.buttons.button(QDialogButtonBox.StandardButton.Ok)


def texts(dialog: MapperDialog) -> list[list[str]]:
    table = dialog.table
    return [[table.item(row, at).text() for at in range(table.columnCount())] for row in range(table.rowCount())]


def headers(dialog: MapperDialog) -> list[str]:
    return [dialog.table.horizontalHeaderItem(at).text() for at in range(dialog.table.columnCount())]


def test_the_dialog_asks_until_both_sentences_have_a_column(dialog, file, qtbot):
    assert texts(dialog)[1] == ["1", "Le numéro 1 dort", "Un félin <b>1</b>", "1"]
    assert not ok(dialog).isEnabled()
    assert label_text(dialog, PROBLEM) == "", "no error is shown before the first choice"
    assert "two sentences" in label_text(dialog, RESULT)
    pick(qtbot, dialog.roles.choices["source"], "phrase")
    assert "hypothesis" in label_text(dialog, PROBLEM)
    pick(qtbot, dialog.roles.choices["hypothesis"], "autre")
    assert (label_text(dialog, PROBLEM), ok(dialog).isEnabled()) == ("", True)
    assert label_text(dialog, RESULT) == "Rows shown: 8. Pairs: 7. Skipped: 1 (no hypothesis)."
    assert headers(dialog)[1] == "phrase\nSource"
    pick(qtbot, dialog.roles.choices["label"], "avis")
    with qtbot.waitSignal(dialog.accepted):
        qtbot.mouseClick(ok(dialog), Qt.MouseButton.LeftButton)
    corpus = read(file, **dialog.options())
    assert len(corpus) == 7
    assert corpus.source[1] == "Le numéro 1 dort"
    assert corpus.label.tolist()[:3] == [0, 1, 0]


def test_guesses_are_preselected(tmp_path, qtbot):
    path = tmp_path / "x.csv"
    path.write_text("sentence1,sentence2,premise,hypothesis,gold\na b,c d,e f,g h,1\n", encoding="utf-8")
    dialog = opened(qtbot, open_corpus(path))
    mapping = dialog.options()["mapping"]
    assert mapping.complete and mapping.label == "gold"
    assert ok(dialog).isEnabled()


@pytest.mark.parametrize(
    ("picks", "words"),
    [
        ({"source": "phrase", "hypothesis": "phrase"}, "same column"),
        ({"source": "phrase", "hypothesis": "autre", "label": "autre"}, "two roles"),
        ({"source": "phrase", "hypothesis": "autre", "human": "autre"}, "two roles"),
        ({"source": "phrase", "hypothesis": "nr", "human": "autre"}, "number"),
    ],
)
def test_contradictory_choices_are_explained(dialog, picks, words):
    for role, column in picks.items():
        dialog.roles.choices[role].choose(column)
    assert words in label_text(dialog, PROBLEM)
    assert find_part(dialog, QLabel, PROBLEM).isVisible()
    assert not ok(dialog).isEnabled()
    assert label_text(dialog, RESULT) == ""


def test_an_undetected_encoding_can_be_chosen(tmp_path, qtbot):
    path = tmp_path / "western.csv"
    path.write_bytes(ROWS.encode("cp1252") + b"9;\x81;\x81;0\n")  # 0x81 is undefined in Windows-1252
    file = open_corpus(path)
    with pytest.raises(EncodingError):
        _ = file.preview
    dialog = opened(qtbot, file, path.name)
    assert "western.csv" in dialog.windowTitle()
    assert "UTF-8" in label_text(dialog, RESULT)
    assert texts(dialog) == []
    assert not ok(dialog).isEnabled() and not dialog.roles.isEnabled()
    pick(qtbot, dialog.file.encoding, "Latin-9")
    assert texts(dialog)[0][1] == "Le numéro 0 dort"
    dialog.roles.choices["source"].choose("phrase")
    dialog.roles.choices["hypothesis"].choose("autre")
    dialog.file.encoding.choose("mac_roman")
    assert texts(dialog)[0][1] != "Le numéro 0 dort", "the preview shows the wrong letters"
    assert dialog.options()["mapping"].source == "phrase", "the chosen columns are kept"
    dialog.file.encoding.choose("latin-1")
    assert read(path, **dialog.options()).source[0] == "Le numéro 0 dort"


def test_the_file_is_read_again_with_a_new_separator_and_without_a_header(dialog, qtbot):
    dialog.roles.choices["source"].choose("phrase")
    dialog.file.delimiter.choose(",")
    assert dialog.table.columnCount() == 1
    assert "only one column" in label_text(dialog, PROBLEM)
    dialog.file.delimiter.choose(";")
    assert dialog.table.columnCount() == 4
    rows = dialog.table.rowCount()
    dialog.file.header.click()
    assert dialog.table.rowCount() == rows + 1
    assert texts(dialog)[0] == ["nr", "phrase", "autre", "avis"]
    assert dialog.options()["header"] is False
    dialog.file.header.click()
    assert headers(dialog)[0].startswith("nr")


def test_quotation_marks_can_belong_to_the_text(tmp_path, qtbot):
    path = tmp_path / "q.tsv"
    path.write_text('x\ty\n"a"\tb\n"c"\td\n', encoding="utf-8")
    dialog = opened(qtbot, open_corpus(path))
    dialog.file.quoting.choose("none")
    assert texts(dialog)[-1][0] == '"c"'
    dialog.file.quoting.choose("minimal")
    assert texts(dialog)[-1][0] == "c"


def test_only_options_of_the_file_type_are_shown(file, dialog, qtbot, tmp_path):
    assert dialog.file.encoding.isVisible() and dialog.file.delimiter.isVisible()
    assert not dialog.file.sheet.isVisible()
    path = tmp_path / "x.json"
    path.write_text('[{"p": "a b", "q": "c d"}, {"p": "e", "q": "f"}]', encoding="utf-8")
    other = opened(qtbot, open_corpus(path))
    assert not other.file.delimiter.isVisible() and not other.file.header.isVisible()
    other.roles.choices["source"].choose("p")
    other.roles.choices["hypothesis"].choose("q")
    assert label_text(other, RESULT) == "All 2 rows shown become pairs."


def test_a_sheet_can_be_chosen(tmp_path, qtbot):
    import xlsxwriter

    path = tmp_path / "book.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        for name in ("first", "second"):
            sheet = book.add_worksheet(name)
            for row, cells in enumerate([["un", "deux"], [f"{name} a", "b"], [f"{name} c", "d"]]):
                sheet.write_row(row, 0, cells)
    dialog = opened(qtbot, open_corpus(path))
    assert dialog.file.sheet.isVisible() and not dialog.file.encoding.isVisible()
    pick(qtbot, dialog.file.sheet, "second")
    assert texts(dialog)[-1][0] == "second c"
    if not dialog.file.header.isChecked():  # two short rows do not distinguish a header from a pair
        dialog.file.header.click()
    dialog.roles.choices["source"].choose("un")
    dialog.roles.choices["hypothesis"].choose("deux")
    assert read(path, **dialog.options()).source[0] == "second a"


def test_pasted_text_is_read(qtbot, qapp):
    dialog = opened(qtbot, open_text(ROWS), "Pasted pairs")
    assert "Pasted" in dialog.windowTitle()
    assert not dialog.file.encoding.isVisible()
    dialog.roles.choices["source"].choose("phrase")
    dialog.roles.choices["hypothesis"].choose("autre")
    decisions = dialog.options()
    mapping = decisions.pop("mapping")
    assert len(open_text(ROWS, **decisions).read(mapping=mapping)) == 7


def test_cancel_rejects_the_dialog(dialog, qtbot):
    with qtbot.waitSignal(dialog.rejected):
        qtbot.keyClick(dialog, Qt.Key.Key_Escape)


def test_every_control_has_a_name(dialog):
    assert all(part.accessibleName() for part in dialog.findChildren(QComboBox))


def test_guesses_are_reported_and_can_be_undone(tmp_path, qtbot):
    path = tmp_path / "western.csv"
    rows = [f"Der Bär läuft zum {row}. Mal über die Straße;Ein Bär geht weit;{row % 2 + 1}" for row in range(9)]
    path.write_text("\n".join(["Erster;Zweiter;Urteil", *rows]), encoding="cp1252")
    dialog = opened(qtbot, open_corpus(path))
    intro = next(label.full_text for label in dialog.findChildren(WrappedText) if "Detected" in label.full_text)
    assert "Detected: Windows-1252, a header row." in intro
    assert dialog.file.header.isVisible() and dialog.file.header.isChecked()
    assert dialog.file.header.mapTo(dialog, dialog.file.header.rect().center()).y() < dialog.table.y() + 1
    pick(qtbot, dialog.file.encoding, "W")
    assert dialog.file.encoding.value == "cp1252"


def test_any_two_labels_can_be_mapped(tmp_path, qtbot):
    path = tmp_path / "x.csv"
    path.write_text("s,t,kind\n" + "".join(f"a b {row},c d,{row % 2 + 1}\n" for row in range(6)), encoding="utf-8")
    dialog = opened(qtbot, open_corpus(path))
    boxes = dialog.roles.positive
    assert not boxes.isVisible()
    for role, column in {"source": "s", "hypothesis": "t", "label": "kind"}.items():
        dialog.roles.choices[role].choose(column)
    assert boxes.isVisible()
    assert "mean a paraphrase" in label_text(dialog, PROBLEM) and not ok(dialog).isEnabled()
    boxes.box("2").click()
    assert ok(dialog).isEnabled()
    assert dialog.options()["positive"] == ("2",)
    assert read(path, **dialog.options()).label.tolist() == [0, 1] * 3


def test_known_labels_are_ticked(dialog):
    dialog.roles.choices["label"].choose("avis")
    assert dialog.roles.positive.checked_keys() == ["1"]
    assert "positive" not in dialog.options()


def test_the_only_two_columns_of_several_words_are_suggested(tmp_path, qtbot):
    rows = "".join(f"{row},Der Hund {row} läuft schnell.,Le chien {row} court vite.,web\n" for row in range(6))
    path = tmp_path / "names.csv"
    path.write_text("Unnamed: 0,Original,la deuxième,Herkunft\n" + rows, encoding="utf-8")
    dialog = opened(qtbot, open_corpus(path))
    mapping = dialog.roles.mapping()
    assert (mapping.source, mapping.hypothesis) == ("Original", "la deuxième") and ok(dialog).isEnabled()
    path.write_text("a,b,c\n" + "".join(f"A man {row} walks.,He goes {row} on.,It is {row} so.\n" for row in range(6)))
    dialog = opened(qtbot, open_corpus(path))
    assert dialog.roles.mapping().source is None, "with three, none is guessed"


def test_a_guessed_role_is_released_when_its_column_gets_a_chosen_role(tmp_path, qtbot):
    path = tmp_path / "x.csv"
    path.write_text("premise,hypothesis,label\n" + "a b c,d e f,1\ng h i,j k l,0\n" * 3, encoding="utf-8")
    dialog = opened(qtbot, open_corpus(path))
    pick(qtbot, dialog.roles.choices["human"], "label")
    assert (dialog.roles.mapping().label, ok(dialog).isEnabled()) == (None, True)


def test_a_question_about_labels_is_answered_by_ticks(tmp_path, qtbot):
    path = tmp_path / "x.csv"
    rows = "".join(f"A man {row} walks.,Walks a man {row}.,{row % 3 - 1}\n" for row in range(9))
    path.write_text("sentence1,sentence2,label\n" + rows, encoding="utf-8")
    dialog = opened(qtbot, open_corpus(path))
    assert any("may be a class or a missing label" in text.full_text for text in dialog.findChildren(WrappedText))
    assert ok(dialog).isEnabled() and dialog.roles.missing.isVisible()
    assert read(path, **dialog.options()).label.tolist() == [0, 0, 1] * 3
    dialog.roles.missing.box("-1").click()
    assert read(path, **dialog.options()).label.tolist() == [-1, 0, 1] * 3
    path.write_text("premise,hypothesis,label\n" + rows.replace("-1", "1"), encoding="utf-8")
    dialog = opened(qtbot, open_corpus(path))
    assert not ok(dialog).isEnabled(), "0 may mean entailment"
    dialog.roles.positive.box("0").click()
    assert read(path, **dialog.options()).label.tolist() == [0, 1, 0] * 3


def test_a_question_about_sentences_asks_for_no_ticks(tmp_path, qtbot):
    path = tmp_path / "x.json"
    sentences = [(f"The lamp {row} stands on the desk.", f"A lamp {row} is on the table.") for row in range(6)]
    records = [
        {"source": two, "premise": one, "hypothesis": two, "label": row % 2} for row, (one, two) in enumerate(sentences)
    ]
    path.write_text(json.dumps(records), encoding="utf-8")
    dialog = opened(qtbot, open_corpus(path))
    assert any("two sentences may be in" in text.full_text for text in dialog.findChildren(WrappedText))
    assert dialog.roles.mapping().label == "label" and ok(dialog).isEnabled()
    assert read(path, **dialog.options()).label.tolist() == [0, 1] * 3


def test_the_header_line_and_the_kind_of_rows_can_be_chosen(tmp_path, qtbot):
    path = tmp_path / "x.csv"
    rows = "".join(f"A man {row} walks.,Walks a man {row}.,W{w},1\n" for row in range(3) for w in range(2))
    path.write_text("a title,,,\nwhat,it,worker,answer\n" + rows, encoding="utf-8")
    dialog = opened(qtbot, open_corpus(path))
    assert "Automatic: 2" in dialog.file.header_line.currentText()
    dialog.file.shape.choose("pairs")
    assert len(read(path, **dialog.options())) == 6
    dialog.file.header_line.choose(1)
    assert texts(dialog)[0][:2] == ["what", "it"]
    dialog.file.header_line.choose(2)
    dialog.file.shape.choose(None)
    assert len(read(path, **dialog.options())) == 3


def test_a_file_of_several_outputs_is_read_with_the_choices_for_its_pairs(tmp_path, qtbot):
    path = tmp_path / "x.csv"
    rows = "".join(f"A man {row} walks on.,Walks a man {row}.,On walks man {row}.\n" for row in range(4))
    path.write_text("text,new_1,new_2\n" + rows, encoding="utf-8")
    dialog = opened(qtbot, open_corpus(path))
    assert "Several outputs" in dialog.file.shape.currentText()
    assert len(read(path, **dialog.options())) == 8


def test_a_saved_plan_for_the_same_columns_is_chosen_at_once(qtbot, file, tmp_path):
    first = read(file, roles=(("source", "phrase"), ("hypothesis", "autre"), ("label", "avis")), positive=("0",))
    save_plan(first.plan, "French")
    other = tmp_path / "other.csv"
    other.write_text(ROWS, encoding="utf-8")
    dialog = opened(qtbot, open_corpus(other))
    assert dialog.plans.plan.currentText() == "French"
    assert dialog.roles.mapping().label == "avis"
    assert ok(dialog).isEnabled()
    options = dialog.options()
    assert open_corpus(other).decide(plan=options["plan"]).read(mapping=options["mapping"]).plan.saved == "French"
    assert options["positive"] == ("0",)
    dialog.plans.plan.choose(None)
    assert dialog.options().get("positive") is None
    assert "plan" not in dialog.options()


def test_choices_are_saved_as_a_plan_under_the_name_typed(qtbot, file):
    dialog = opened(qtbot, open_corpus(file))
    assert not dialog.plans.plan.isVisibleTo(dialog)
    dialog.roles.choices["source"].choose("phrase")
    dialog.roles.choices["hypothesis"].choose("autre")
    dialog.plans.name.setText("French")
    corpus = OpeningQuestion(open_corpus(file), "odd").read(**dialog.options())
    assert corpus.source[0] == "Le numéro 0 dort"
    assert find_plan("French").options["source"] == "phrase"
    assert read(file, **to_decisions({"plan": "French"})).hypothesis == corpus.hypothesis


def test_plan_options_arguments_and_dialog_name_the_same_parts(dialog):
    names = control_names()
    flags = {flag.removeprefix("--").replace("-", "_") for flag in list_flags(ReadingArguments)}
    assert set(names) == flags == set(ReadingOptions.__annotations__)
    decided = {*ReadingDecisions.__annotations__, *ROLES, *JUDGEMENT_ROLES, "save_plan"}
    assert {"role" if name == "question" else name for name in decided} == {*flags, "roles", "without"}
    rows = [
        label.text()
        for form in (dialog.roles, dialog.file, dialog.plans)
        for label in form.findChildren(QLabel)
        if form.layout().labelForField(label.buddy() or label) is label
    ]
    assert set(names.values()) <= set(rows)


def test_person_answer_and_question_of_judgements_can_be_chosen(qtbot, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    corpus = read(path, shape="pairs")
    assert len(corpus) == 8
    dialog = opened(qtbot, open_corpus(path))
    people = dialog.file.people
    assert people["person"].isVisibleTo(dialog)
    people["person"].choose("who")
    people["answer"].choose("second")
    corpus = read(path, **dialog.options())
    assert len(corpus) == 4
    assert list(corpus.annotators) == ["second.Anna", "second.Benno"]
    assert corpus.plan.options()["role"] == {"person": "who", "answer": "second"}
    people["question"].choose("first")
    assert "1.Anna" in read(path, **dialog.options()).annotators


def test_annotators_and_the_layout_can_be_chosen(qtbot, tmp_path):
    path = tmp_path / "x.csv"
    rows = "".join(f"A man {row} walks on.,On walks a man {row}.,{row % 5 + 1},{row % 4 + 1}\n" for row in range(20))
    path.write_text("one,two,Anna,Ben\n" + rows, encoding="utf-8")
    dialog = opened(qtbot, open_corpus(path))
    assert not dialog.roles.least.isVisibleTo(dialog)
    for name in ("Anna", "Ben"):
        dialog.roles.annotators.box(name).click()
    dialog.roles.least.setValue(4)
    assert read(path, **dialog.options()).annotators == {"Anna": 4, "Ben": 4}
    dialog.roles.choices["human"].choose("Anna")
    assert dialog.options()["annotator"] == ("Ben=4",)
    dialog.file.layout_key.choose("paws")
    assert "PAWS" in label_text(dialog, PROBLEM)


def test_earlier_decisions_are_shown_and_can_be_taken_back(qtbot, tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(PEOPLE, encoding="utf-8")
    decisions = to_decisions({"person": "who", "answer": "second", "encoding": "cp1250", "label": "none"})
    dialog = opened(qtbot, open_corpus(path), decisions=decisions)
    assert dialog.file.people["person"].value == "who"
    assert dialog.file.encoding.value == "cp1250"
    assert len(read(path, **dialog.options())) == 4
    for choice in (*dialog.file.people.values(), dialog.file.encoding):
        choice.choose(None)
    assert {"encoding", "roles"}.isdisjoint(dialog.options())


def test_further_references_are_ticked_and_read(qtbot, tmp_path):
    path = tmp_path / "odd.csv"
    rows = "".join(f"{at},He is {at}.,She is {at}.,It is {at}.,We are {at}.,You are {at}.\n" for at in range(12))
    path.write_text(f"nr,one,two,ref_1,ref_2,third\n{rows}", encoding="utf-8")
    opened_file = open_corpus(path)
    dialog = opened(qtbot, opened_file)
    dialog.roles.choices["source"].choose("one")
    dialog.roles.choices["hypothesis"].choose("two")
    assert dialog.roles.choices["reference"].value == "ref_1"
    assert dialog.roles.references.checked_keys() == ["ref_2"]
    assert "Reference" in headers(dialog)[4]
    dialog.roles.references.box("third").click()
    assert opened_file.read(**dialog.options()).references(3) == ("It is 3.", "We are 3.", "You are 3.")
    dialog.roles.choices["reference"].choose(None)
    assert not dialog.roles.references.isVisibleTo(dialog)
    assert dialog.roles.mapping().reference is None


def test_a_question_about_labels_below_the_preview_is_answered_by_ticks(qtbot, tmp_path):
    path = tmp_path / "late.tsv"
    rows = "".join(f"He is {at}.\tIt was {at}.\t{at % 2}\n" for at in range(300))
    same = "".join(f"She is {at}.\tShe is {at}.\t0\n" for at in range(30))
    path.write_text(f"sentence1\tsentence2\tlabel\n{rows}{same}", encoding="utf-8")
    question = read_or_ask(lambda: open_corpus(path), "late", tick=lambda done: None)
    assert isinstance(question, OpeningQuestion) and not question.opened.preview.asks_about_labels
    dialog = MapperDialog(question)
    qtbot.addWidget(dialog)
    assert any("30 of 30 pairs of identical sentences" in text.full_text for text in dialog.findChildren(WrappedText))
    assert dialog.roles.needs_ticks
    dialog.roles.positive.box("0").click()
    assert question.read(**dialog.options()).labels[-1] == 1
