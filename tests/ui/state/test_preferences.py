"""The window's settings on disk: every problem with the file is reported, and no data is lost."""

from __future__ import annotations

import json

import pytest

from parapluie_gui.ui.state.preferences import UserPreferences

DAMAGED = {
    "empty": b"",
    "random bytes": b"\x93\x00\xff\xfe" * 500,
    "cut": b'{"version": 1, "theme": "da',
    "a list": b"[]",
    "a number": b"3",
    "no version": b'{"theme": "dark"}',
    "another version": b'{"version": "one"}',
    "version true": b'{"version": true}',
    "nested 100,000 deep": b'{"version": 1, "a": ' + b"[" * 100_000,
    "a number of 6,000 digits": b'{"version": 1, "a": 1' + b"0" * 6000 + b"}",
    "not UTF-8": b'{"version": 1, "theme": "\xff"}',
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "window.json"


@pytest.mark.parametrize("content", DAMAGED.values(), ids=DAMAGED)
def test_a_damaged_file_is_put_aside_and_reported(path, content):
    path.write_bytes(content)
    preferences = UserPreferences(path)
    assert dict(preferences.values) == {}
    (sentence,) = preferences.troubles
    assert "window.json.damaged-1" in sentence and "default settings" in sentence
    assert path.with_name("window.json.damaged-1").read_bytes() == content
    preferences.set("theme", "dark")
    preferences.save()
    again = UserPreferences(path)
    assert (again.values.text("theme"), again.troubles) == ("dark", [])


def test_a_folder_in_place_of_the_file_is_put_aside(path):
    path.mkdir()
    (path / "inside").write_text("x")
    preferences = UserPreferences(path)
    assert "window.json.damaged-1" in preferences.troubles[0]
    preferences.save()
    assert path.is_file() and (path.with_name("window.json.damaged-1") / "inside").exists()


def test_a_huge_file_is_not_read(path):
    with path.open("wb") as file:
        file.truncate(2**34)
    assert "damaged" in UserPreferences(path).troubles[0]


def test_a_file_of_a_newer_version_is_not_changed(path):
    text = json.dumps({"version": 99, "theme": "dark"})
    path.write_text(text)
    preferences = UserPreferences(path)
    preferences.set("theme", "light")
    preferences.save()
    assert path.read_text() == text
    assert "newer version" in preferences.troubles[0] and list(path.parent.iterdir()) == [path]


def test_a_file_that_cannot_be_put_aside_is_not_changed(path, monkeypatch):
    def refuse(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("parapluie_gui.ui.state.preferences.put_aside", refuse)
    path.write_text("bad")
    preferences = UserPreferences(path)
    preferences.save()
    assert path.read_text() == "bad"
    assert "Permission denied" in preferences.troubles[0]


def test_invalid_values_are_named_and_the_file_is_kept(path):
    before = json.dumps({"version": 1, "theme": 3, "recent": ["a", 4], "table": {"columns": {"a": True}}})
    path.write_text(before)
    preferences = UserPreferences(path)
    assert preferences.values.text("theme") == ""
    assert preferences.values.texts("recent") == ["a"]
    assert preferences.values.part("table").flags("columns") == {"a": True}
    preferences.check()
    assert "theme, recent" in preferences.troubles[0]
    assert path.with_name("window.json.damaged-1").read_text() == before


def test_names_that_are_not_utf_8_survive_a_round_trip(path):
    preferences = UserPreferences(path)
    preferences.set("recent", ["bad\udcff.tsv"])
    preferences.save()
    assert UserPreferences(path).values.texts("recent") == ["bad\udcff.tsv"]


def test_a_missing_file_is_not_an_error(path):
    preferences = UserPreferences(path)
    preferences.check()
    assert preferences.troubles == []
