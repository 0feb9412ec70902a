"""Template files: refused files and their messages, the user's own folder, names and digests."""

from __future__ import annotations

import dataclasses
import os

import pytest

from parapluie_gui.errors import TemplateError
from parapluie_gui.own_files import BUILT_IN
from parapluie_gui.pluie.prompt import PromptFrame, join_columns
from parapluie_gui.pluie.templates import (
    CAUSAL,
    MASKED,
    Template,
    built_in_templates,
    check_template_kinds,
    find_templates,
    load_templates,
    parse_template,
)
from parapluie_gui.pluie.turns import ChatTurn

GOOD = """
name = "MINE"
title = "My own"
provenance = "  Me.  "
yes = "oui"
no = "non"
[[turn]]
role = "system"
text = "Be brief."
[[turn]]
role = "user"
text = "A: {source} B: {hypothesis}"
[[turn]]
role = "assistant"
generate = true
max_new_tokens = 7
[[turn]]
role = "user"
text = "So?"
"""
USER = '[[turn]]\nrole = "user"\ntext = "{source} {hypothesis}"\n'


def test_a_template_is_read():
    template = parse_template(GOOD, "mine.toml", origin="/home/me/mine.toml")
    assert template == Template(
        "MINE",
        (
            ChatTurn("system", "Be brief."),
            ChatTurn("user", "A: {source} B: {hypothesis}"),
            ChatTurn("assistant", "", True, 7),
            ChatTurn("user", "So?"),
        ),
        "oui",
        "non",
        "My own",
        "Me.",
        "/home/me/mine.toml",
    )
    assert template.column == "pluie.mine"
    plain = parse_template(f'name = "T"\n{USER}')
    assert (plain.yes, plain.no, plain.origin) == ("Yes", "No", BUILT_IN)


def test_a_template_can_be_reversed():
    template = parse_template(GOOD)
    (reverse,) = find_templates(["mine,REVERSE"], [template])
    assert (reverse.name, reverse.column) == ("MINE,reverse", "pluie.mine.reverse")
    assert [turn.text for turn in reverse.turns] == ["Be brief.", "A: {hypothesis} B: {source}", "", "So?"]
    assert reverse.digest != template.digest
    assert dataclasses.replace(reverse.swap_sentences(), name="MINE") == template
    cloze = next(each for each in load_templates()[0] if each.kind == MASKED)
    assert cloze.swap_sentences().cloze.index("{hypothesis}") == cloze.cloze.index("{source}")
    assert [each.name for each in find_templates(["MINE", "MINE,reverse", "mine"], [template])] == [
        "MINE",
        "MINE,reverse",
    ]
    with pytest.raises(TemplateError, match=r'^A template has no variant "twice"\. Write MINE,reverse\.$'):
        find_templates(["MINE,twice"], [template])


@pytest.mark.parametrize("ending", [".reverse", ".GAP", ".p_yes"])
def test_a_name_that_looks_like_a_column_of_the_program_is_refused(ending):
    with pytest.raises(TemplateError, match=f'the name ends in "{ending}"'):
        parse_template(f'name = "T{ending}"\n{USER}')


NAME_RULE = 'give it a name of letters, digits, ".", "_" and "-" (name = "MY-TEMPLATE")'
ALTERNATE = "after an optional system turn, user and assistant turns must alternate, the user first"
TURN_RULE = "text must be text in quotes, generate must be true or false, and max_new_tokens a whole number"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("name = ", "not valid TOML ("),
        (f'name = "T"\ncolour = 1\n{USER}', 'unknown entry "colour"; a template has cloze, examples, language, name'),
        (USER, NAME_RULE),
        (f'name = "a b"\n{USER}', NAME_RULE),
        (f"name = 3\n{USER}", NAME_RULE),
        (f'name = "-a"\n{USER}', NAME_RULE),
        (f'name = "T"\ntitle = 3\n{USER}', '"title" must be text in quotes'),
        (f'name = "T"\nyes = 1\n{USER}', '"yes" must be text in quotes'),
        (f'name = "T"\nyes = " "\n{USER}', '"yes" and "no" must be two different words'),
        (f'name = "T"\nyes = "No "\n{USER}', '"yes" and "no" must be two different words'),
        ('name = "T"', "it has neither [[turn]] sections nor a cloze"),
        ('name = "T"\nturn = [1]', "it has neither [[turn]] sections nor a cloze"),
        (f'name = "T"\n{USER}tone = "soft"', 'turn 1 has an unknown entry "tone"; a turn has generate, max'),
        ('name = "T"\n[[turn]]\ntext = "x"', 'turn 1 needs role = "system", "user" or "assistant"'),
        ('name = "T"\n[[turn]]\nrole = ["user"]\ntext = "x"', 'turn 1 needs role = "system", "user" or "assistant"'),
        ('name = "T"\n[[turn]]\nrole = "user"\ntext = 1', f"turn 1: {TURN_RULE}"),
        ('name = "T"\n[[turn]]\nrole = "assistant"\ngenerate = "yes"', f"turn 1: {TURN_RULE}"),
        ('name = "T"\n[[turn]]\nrole = "assistant"\ngenerate = true\nmax_new_tokens = 0', f"turn 1: {TURN_RULE}"),
        ('name = "T"\n[[turn]]\nrole = "assistant"\ngenerate = true\nmax_new_tokens = true', f"turn 1: {TURN_RULE}"),
        ('name = "T"\n[[turn]]\nrole = "user"\ngenerate = true', "turn 1 is generated, so it must be an assis"),
        ('name = "T"\n[[turn]]\nrole = "user"\ntext = " "', "turn 1 is empty. Give it a text"),
        ("name = 'T'\nturn = []", "the last turn must be the user's, so that the judge answers next"),
        (f'name = "T"\n{USER}[[turn]]\nrole = "assistant"\ntext = "x"', "the last turn must be the user's"),
        (f'name = "T"\n{USER}{USER}', ALTERNATE),
        (f'name = "T"\n[[turn]]\nrole = "assistant"\ntext = "x"\n{USER}', ALTERNATE),
        (f'name = "T"\n{USER}[[turn]]\nrole = "system"\ntext = "x"\n{USER}', ALTERNATE),
        (
            f'name = "T"\n{USER}'
            + '[[turn]]\nrole = "assistant"\ngenerate = true\n[[turn]]\nrole = "user"\ntext = "x"\n' * 2,
            "only one turn can be generated",
        ),
        ('name = "T"\n[[turn]]\nrole = "user"\ntext = "{source}"', "no turn contains {hypothesis}, so the judge would"),
        ('name = "T"\n[[turn]]\nrole = "user"\ntext = "{hypothesis}"', "no turn contains {source}, so the judge would"),
        (
            'name = "T"\n[[turn]]\nrole = "user"\ntext = "{source}"\n[[turn]]\nrole = "assistant"\ngenerate = true\n'
            '[[turn]]\nrole = "user"\ntext = "{hypothesis}"',
            "sentences cannot come after the generated turn",
        ),
    ],
)  # fmt: skip
def test_invalid_templates_are_refused(text, sentence):
    with pytest.raises(TemplateError) as caught:
        parse_template(text, "mine.toml")
    place = "mine.toml" if caught.value.line is None else f"mine.toml, line {caught.value.line}"
    assert str(caught.value).startswith(f"{place}: {sentence}")
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    ("part", "point", "begin", "end"),
    [
        ("a", ".", "", " = 1"),
        ("a", " . ", "", " = 1"),
        ("a", "\t.\t", "x = {", " = 1}"),
        ('"a \\" b"', ".", "", " = 1"),
        ("'a = b'", " . ", "[[", "]]"),
    ],
)
def test_a_name_of_very_many_parts_is_refused_at_once(part, point, begin, end):
    """Python's reader would take a minute."""
    with pytest.raises(TemplateError, match=r"^mine\.toml, line 2: a name of more than 20 parts"):
        parse_template(f"# a.b.c\n{begin}{point.join([part] * 50_000)}{end}", "mine.toml")


def test_sentences_with_full_stops_are_not_names():
    for text in ("so " + "." * 200, "a. b. " * 99, '"a" . ' * 19, "A . " * 18, "www.example.org " * 99):
        user = f"[[turn]]\nrole = 'user'\ntext = '{{source}} {{hypothesis}} {text}'\n"
        assert text in parse_template(f'name = "T"\n{user}').turns[0].text


def test_the_built_in_templates_come_in_the_papers_order():
    good, broken = load_templates()
    assert [template.name for template in good] == [
        *("DIRECT", "INDIRECT", "FS-DIRECT", "FS-FRENCH"),
        *("P1", "P2", "P3", "P1-ICL_K4", "P2-ICL_K4", "P3-ICL_K4"),
        "CLOZE",
    ]
    assert not broken
    assert all(template.title and "COLING 2025" in template.provenance for template in good)
    words = {template.name: (template.yes, template.no) for template in good[:-1]}
    assert words.pop("FS-FRENCH") == ("Oui", "Non")
    assert set(words.values()) == {("Yes", "No")}
    assert all(template.origin == BUILT_IN for template in good)
    assert len({template.digest for template in good}) == len(good)


def test_templates_of_the_users_folder_are_listed(tmp_path):
    (tmp_path / "mine.toml").write_text(GOOD, encoding="utf-8")
    (tmp_path / "notes.txt").write_text("no template")
    (tmp_path / "empty.toml").write_text("")
    (tmp_path / "latin.toml").write_bytes('name = "T"  # été'.encode("latin-1"))
    (tmp_path / "thief.toml").write_text(f'name = "direct"\n{USER}')
    (tmp_path / "zwilling.toml").write_text(f'name = "mine"\n{USER}')
    (tmp_path / "folder.toml").mkdir()
    good, broken = load_templates(tmp_path)
    own = {template.name: template.origin for template in good if template.origin != BUILT_IN}
    assert own == {"MINE": str(tmp_path / "mine.toml")}
    errors = {one.file: one.error for one in broken}
    assert errors["empty.toml"] == f"empty.toml: {NAME_RULE}."
    assert errors["latin.toml"].startswith("latin.toml is not UTF-8 text.")
    assert errors["folder.toml"].startswith("folder.toml is a folder, not a file.")
    assert errors["thief.toml"] == "thief.toml: the name direct is already used by built-in. Choose a different one."
    taken = "zwilling.toml: the name mine is already used by mine.toml. Choose a different one."
    assert errors["zwilling.toml"] == taken
    assert load_templates(tmp_path / "nowhere")[0] == load_templates()[0]


def test_a_byte_order_mark_is_ignored(tmp_path):
    (tmp_path / "notepad.toml").write_bytes(b"\xef\xbb\xbf" + f'name = "T"\r\n{USER}'.replace("\n", "\r\n").encode())
    good, broken = load_templates(tmp_path)
    assert not broken and good[-1].turns == (ChatTurn("user", "{source} {hypothesis}"),)


def test_the_digest_changes_only_with_the_wording():
    template = parse_template(GOOD)
    assert len(template.digest) == 8
    for same in ({"title": "Other"}, {"provenance": ""}, {"name": "OTHER"}, {"origin": "elsewhere"}):
        assert dataclasses.replace(template, **same).digest == template.digest
    turns = template.turns
    others = [
        dataclasses.replace(template, yes="Oui"),
        dataclasses.replace(template, no="Non"),
        dataclasses.replace(template, turns=turns[1:]),
        dataclasses.replace(template, turns=(dataclasses.replace(turns[0], text="Be brief!"), *turns[1:])),
        dataclasses.replace(template, turns=(dataclasses.replace(turns[0], role="user"), *turns[1:])),
        dataclasses.replace(template, turns=(*turns[:2], dataclasses.replace(turns[2], max_new_tokens=8), turns[3])),
    ]
    assert len({template.digest, *(other.digest for other in others)}) == len(others) + 1


def test_templates_are_found_in_any_case():
    good, _ = load_templates()
    assert [one.name for one in find_templates(["fs-direct", "P1"], good)] == ["FS-DIRECT", "P1"]
    assert find_templates([], good) == ()
    with pytest.raises(
        TemplateError, match=r"There is no template P9; the templates are DIRECT, INDIRECT, .*P3-ICL_K4, CLOZE\."
    ):
        find_templates(["P9"], good)


CLOZE = 'name = "GAP"\nyes = "yes"\nno = "no"\n'


def test_a_cloze_is_for_masked_judges():
    template = parse_template(CLOZE + 'cloze = "{source} [SEP] {hypothesis}? [MASK]"')
    assert (template.kind, template.turns, template.column) == (MASKED, (), "pluie.gap")
    other = parse_template(CLOZE + 'cloze = "{source} [SEP] {hypothesis}. [MASK]"')
    assert template.digest != other.digest
    direct = load_templates()[0][0]
    assert direct.kind == CAUSAL
    # Scores stored since the first version are still found.
    assert direct.digest == "6a068bbe"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('name = "T"\ntitle = \n', 2),
        (f'name = "T"\n{USER}colour = 1\n', 2),
        (f'name = "T"\n\ncolour = 1\n{USER}', 3),
        (f'\nname = "a b"\n{USER}', 2),
        (f'name = "T"\nno = "Yes"\n{USER}', 2),
        (f'name = "T"\n{USER}[[turn]]\nrole = "assistant"\ntext = "x"', 5),
        ('name = "T"\n# the gap\ncloze = "{source} {hypothesis}"', 3),
        (USER, None),
    ],
)
def test_an_error_names_its_line(text, line):
    with pytest.raises(TemplateError) as caught:
        parse_template(text, "mine.toml")
    assert caught.value.line == line
    assert str(caught.value).startswith("mine.toml: " if line is None else f"mine.toml, line {line}: ")
    assert "at line" not in str(caught.value)


@pytest.mark.parametrize(
    ("entry", "sentence"),
    [
        ("cloze = 3", '"cloze" must be text in quotes'),
        ('cloze = "{source} [MASK]"', "the cloze must contain {hypothesis} once, but it contains it 0 times"),
        ('cloze = "{source} {source} {hypothesis} [MASK]"', "the cloze must contain {source} once"),
        ('cloze = "{source} {hypothesis}"', "the cloze must contain [MASK] once"),
        ('cloze = "{source} {hypothesis} [MASK] {reference}"', "a cloze shows two sentences: {reference} is for"),
        ('cloze = "{source} {hypothesis} [MASK] {intent}"', "a cloze shows two sentences: {intent} is for"),
        ('cloze = "{source} {hypothesis} [MASK] [MASK]"', "the cloze must contain [MASK] once, but it contains it 2"),
        ('cloze = "{source} {hypothesis} [MASK]"\n[[turn]]\nrole = "user"\ntext = "x"', "a cloze has no [[turn]]"),
    ],
)
def test_invalid_clozes_are_refused(entry, sentence):
    with pytest.raises(TemplateError) as caught:
        parse_template(CLOZE + entry, "mine.toml")
    place = "mine.toml" if caught.value.line is None else f"mine.toml, line {caught.value.line}"
    assert str(caught.value).startswith(f"{place}: {sentence}")


def test_names_in_braces_are_columns_of_the_corpus():
    text = (
        'name = "T"\n[[turn]]\nrole = "user"\ntext = """{b} {source} {hypothesis} {a c} {b} {examples} {"x": 1} {1}"""'
    )
    template = parse_template(text)
    assert template.columns == ("b", "a c") and template.swap_sentences().columns == ("b", "a c")
    frame = PromptFrame(template.mark_turn(template.turns[0]), columns=template.columns)
    assert frame.fill(join_columns("{b}", ["B", "A C"]), "{a c}")[0] == "{b}".join(
        ["B ", ' {a c} A C B {examples} {"x": 1} {1}']
    )
    assert PromptFrame.from_json(frame.to_json()) == frame
    many = " ".join(f"{{c{number}}}" for number in range(17))
    with pytest.raises(TemplateError, match="it shows 17 columns of the corpus; the limit is 16"):
        parse_template(text.replace("{1}", many.replace("{c0}", "").replace("{c1}", "")))
    after = f'{GOOD}[[turn]]\nrole = "assistant"\ntext = "x"\n[[turn]]\nrole = "user"\ntext = "{{late}}"'
    with pytest.raises(TemplateError, match="sentences cannot come after the generated turn"):
        parse_template(after)


def test_templates_name_their_language():
    result = {each.name: each.language for each in load_templates()[0]}
    assert result.pop("FS-FRENCH") == "fr" and set(result.values()) == {"en"}
    assert parse_template(GOOD).language == ""
    with pytest.raises(TemplateError, match='"language" must be a known ISO 639 code, such as "en"'):
        parse_template(f'language = "French"\n{GOOD}')


def test_a_template_for_a_different_kind_of_judge_is_refused_in_one_sentence():
    good = {template.name: template for template in load_templates()[0]}
    assert check_template_kinds(CAUSAL, "smollm2-135m", [good["DIRECT"]]) == (good["DIRECT"],)
    with pytest.raises(TemplateError) as caught:
        check_template_kinds(CAUSAL, "smollm2-135m", [good["DIRECT"], good["CLOZE"]])
    assert str(caught.value) == (
        "smollm2-135m writes text, and CLOZE is a cloze. Use DIRECT, FS-DIRECT or a different judge."
    )
    with pytest.raises(TemplateError) as caught:
        check_template_kinds(MASKED, "pocket", [good["P1"]])
    assert str(caught.value) == "pocket fills gaps in texts, and P1 is a conversation. Use CLOZE or a different judge."


@pytest.mark.parametrize("number", ["1" + "0" * 6000, "[" * 20_000], ids=["of 6,000 digits", "of 20,000 brackets"])
def test_a_file_that_python_cannot_read_counts_as_one_broken_file(tmp_path, number):
    (tmp_path / "x.toml").write_text(f"{GOOD}a = {number}\n", encoding="utf-8")
    (tmp_path / "y.toml").write_text(GOOD, encoding="utf-8")
    good, (broken,) = load_templates(tmp_path)
    assert broken.file == "x.toml" and "thousands" in broken.error
    assert good[-1].name == "MINE"


def test_folders_pipes_and_huge_files_are_not_templates(tmp_path):
    (tmp_path / "folder.toml").mkdir()
    os.mkfifo(tmp_path / "pipe.toml")
    with (tmp_path / "huge.toml").open("wb") as file:
        file.truncate(2**33)
    _, broken = load_templates(tmp_path)
    assert [one.file for one in broken] == ["folder.toml", "huge.toml", "pipe.toml"]
    for one, what in zip(broken, ("is a folder", "is larger than 1 MB", "is a pipe"), strict=True):
        assert one.error.startswith(f"{one.file} {what}")


def test_a_file_in_place_of_the_folder_holds_no_templates(tmp_path):
    (tmp_path / "templates").write_text("x")
    assert load_templates(tmp_path / "templates") == load_templates()


def test_a_former_name_is_read_unless_the_user_has_a_template_of_that_name():
    assert [template.name for template in find_templates(["fs-direct_fr"], built_in_templates())] == ["FS-FRENCH"]
    own = parse_template("name = 'FS-DIRECT_FR'\n[[turn]]\nrole = 'user'\ntext = '{source} {hypothesis} ?'\n")
    (template,) = find_templates(["FS-DIRECT_FR"], [*built_in_templates(), own])
    assert template is own
