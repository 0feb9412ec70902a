"""The manual is complete: it has all options, metrics, templates, actions and presets, and every link has a target."""

from __future__ import annotations

import argparse
import ast
import re
from pathlib import Path

import pytest
from option_tables import EVERYWHERE, belongs_to_analysis, commands, update_metrics_table, update_tables

import parapluie_gui
from parapluie_gui import manual, places
from parapluie_gui.analysis.catalogue import analyses
from parapluie_gui.analysis.catalogue import names as names_of_analyses
from parapluie_gui.commands.main import _build_parser
from parapluie_gui.errors import HelpError
from parapluie_gui.metrics import catalogue
from parapluie_gui.options import list_options
from parapluie_gui.pairs.reading.layouts import LAYOUT_NAMES
from parapluie_gui.pluie.templates import load_templates
from parapluie_gui.ui.analysis.pages import pages as analysis_pages
from parapluie_gui.ui.table.presets import PRESETS
from parapluie_gui.ui.window.actions import actions

ROOT = Path(__file__).parents[1]


def page(name: str) -> manual.ManualPage:
    return next(page for page in manual.pages() if page.name == name)


COMMANDS = dict(commands(_build_parser()))


def has_section(command: str) -> bool:
    """Return whether the page of commands describes a command by hand."""
    return f"\n## {command.split()[0]}" in page("command-line").text


def test_a_command_without_a_description_has_a_row():
    assert all(f"| `{name}` |" in page("command-line").text for name in COMMANDS if name and not has_section(name))


@pytest.mark.parametrize("command", [name for name in COMMANDS if name and has_section(name)])
def test_every_command_and_option_is_in_the_manual(command):
    words = command.split()
    text = page("command-line").section("pem train" if words[0] == "pem" else words[0])
    assert text
    text += page("train-judge").text if command == "train-judge" else ""
    text += page("analyse").text if command == "analyse" else ""
    actions = [action for action in COMMANDS[command]._actions if action.dest not in EVERYWHERE]
    for action in actions:
        for option in action.option_strings:
            # An analysis's option may have the analysis before its name.
            names = {
                option,
                *(option.replace(f"--{name}-", "--", 1) for name in names_of_analyses() if belongs_to_analysis(action)),
            }
            assert any(re.search(rf"[` ]{name}[ `]", text) for name in names), f"{command} {option}"
    for action in COMMANDS[command]._actions:
        if not action.option_strings and action.metavar and action.nargs != argparse.PARSER:
            assert re.search(rf"`[^`]*{re.escape(str(action.metavar).split('[')[0])}", text), action.metavar
    assert f"`{words[0]}`" in page("command-line").text
    assert all(word in text for word in words[1:])


def test_the_tables_of_options_match_the_commands():
    text = page("command-line").text
    assert text == update_tables(text, COMMANDS), "python tests/helpers/option_tables.py updates them"


def test_every_metric_with_its_options_is_in_the_manual():
    text = page("metrics").text
    for info in catalogue.metrics():
        assert f"`{info.id}" in text, info.id
        assert all(f"{option.name}=" in text for option in list_options(info.options)), info.id
    assert text == update_metrics_table(text), "python tests/helpers/option_tables.py updates the table of options"


def test_every_analysis_is_in_the_manual():
    rows, names = page("analysis").text, {page.name for page in manual.pages()}
    assert all(f"\n| {entry.title} |" in rows for entry in analysis_pages())
    missing = {analysis.manual for analysis in analyses()} - names
    assert missing == set(), "write these pages into resources/manual, and name them in Feature.manual"


def test_every_dialog_declares_its_page_of_the_manual():
    silent = [
        f"{file.name}: self.setProperty('manual_page', PAGE) in {node.name}"
        for file in Path(parapluie_gui.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.ClassDef)
        and any(ast.unparse(base) == "QDialog" for base in node.bases)
        and "setProperty('manual_page'" not in ast.unparse(node)
    ]
    assert silent == [], "write these, for F1"


def test_every_template_layout_and_preset_is_in_the_manual():
    wanted = [("templates", f"`{template.name}`") for template in load_templates()[0]]
    wanted += [("corpora", f"`{layout}`") for layout in LAYOUT_NAMES]
    wanted += [("table", f"| {preset.title} |") for preset in PRESETS]
    missing = [f"{words} in {name}.md" for name, words in wanted if words not in page(name).text]
    assert missing == [], "write these into the tables of resources/manual"


def test_every_environment_variable_is_in_the_manual():
    text = page("sessions").text
    for file in Path(parapluie_gui.__file__).parent.rglob("*.py"):
        for name in re.findall(r"PARAPLUIE_[A-Z_]+", file.read_text(encoding="utf-8")):
            row = f"| `{name}` |"
            assert row in text, f"write a row {row} WHAT IT DOES | into resources/manual/sessions.md"


def test_every_action_with_its_keys_is_in_the_manual():
    text = page("keys").text
    for action in actions():
        if action.text != "-":
            title = action.text.replace("&", "")
            row = f"| {title} | {', '.join(action.keys)}".rstrip() + " |"
            assert row in text, f"write a row {row} into resources/manual/keys.md"


def test_every_page_is_in_the_index_and_every_link_has_a_target():
    by_path = {page.path: page for page in manual.pages()}
    files = {f"manual/{file.name}" for file in (places.resources() / "manual").iterdir() if file.name.endswith(".md")}
    assert files <= set(by_path), "write a link to the page into resources/manual/index.md"
    for each in by_path.values():
        for link in each.links:
            if manual.is_internal(link):
                path, anchor = manual.target(each, link)
                assert path in by_path, f"{each.name}: {link}"
                assert not anchor or anchor in by_path[path].anchors, f"{each.name}: {link}"
            else:
                assert link.startswith("https://"), f"{each.name}: {link}"


def test_every_page_declared_by_a_widget_exists():
    names = {page.name for page in manual.pages()}
    declared = set()
    for file in Path(parapluie_gui.__file__).parent.rglob("*.py"):
        declared |= set(re.findall(r'"manual_page", "([\w-]+)"', file.read_text(encoding="utf-8")))
    assert declared
    assert declared <= names, "write these pages into resources/manual, or declare an existing one"


def test_lines_of_pages_are_short_enough_to_read_as_text():
    for each in manual.pages():
        for line in each.text.splitlines():
            assert len(line) <= 120 or line.startswith("|") or each.name.endswith("-card"), f"{each.name}: {line}"


def test_topics_are_pages_or_headings_ignoring_case():
    assert manual.find("Metrics") == page("metrics").text
    assert manual.find("the filter box").startswith("## The filter box")
    assert "## Presets" not in manual.find("the filter box")
    assert "--metric SPEC" in manual.find("score"), "a command, not the menu of this name"
    assert manual.find("") == page("index").text


@pytest.mark.parametrize(("topic", "near"), [("metric", "metrics"), ("corpra", "corpora"), ("mcnemar", "analysis")])
def test_an_unknown_topic_suggests_similar_pages(topic, near):
    with pytest.raises(HelpError, match=near):
        manual.find(topic)


def test_a_topic_unlike_any_page_suggests_listing_them():
    with pytest.raises(HelpError, match="parapluie help"):
        manual.find("xyzzy")


def test_headings_inside_code_are_ignored():
    text = "# One\n\n```bash\n# a comment\n```\n\n## Two\n"
    assert manual.ManualPage("a", "manual/a.md", "A", text).anchors == {"one", "two"}


@pytest.mark.parametrize("file", ["README.md", "CONTRIBUTING.md", "SECURITY.md", "tests/benchmarks/README.md"])
def test_links_in_other_documents_have_a_target(file):
    text = (ROOT / file).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
    assert links
    assert [link for link in links if not (ROOT / file).parent.joinpath(link).exists()] == []


def test_the_readme_is_short_and_has_the_test_command():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 150
    command = text.partition("<!-- test command -->")[2].partition("<!-- end -->")[0]
    assert "-m pytest" in command


def test_every_room_and_every_benchmark_is_documented():
    rooms = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert len(rooms.splitlines()) <= 80  # one page, with ten lines on names and words
    for folder in Path(parapluie_gui.__file__).parent.iterdir():
        there = f"`{folder.name}`" in rooms or not (folder / "__init__.py").exists()
        assert there, f"write a row | `{folder.name}` | WHAT IS IN IT | into the table of CONTRIBUTING.md"
    benchmarks = (ROOT / "tests" / "benchmarks" / "README.md").read_text(encoding="utf-8")
    for file in (ROOT / "tests" / "benchmarks").glob("*.py"):
        assert file.name in benchmarks, f"write what {file.name} measures into tests/benchmarks/README.md"
