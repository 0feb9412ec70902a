"""The check of the installation: every possible problem is detected and comes with advice."""

from __future__ import annotations

import importlib.metadata
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from packaging.requirements import Requirement

from parapluie_gui import computer, places
from parapluie_gui.commands.main import main
from parapluie_gui.features.doctor import examination, machine
from parapluie_gui.features.doctor.findings import DoctorSection, as_json, as_text
from parapluie_gui.models import catalogue, gpus
from parapluie_gui.models.device import cpu_has_fast_bfloat16


def examined(part) -> DoctorSection:
    section = DoctorSection("part")
    part(section)
    return section


def problem_text(section: DoctorSection) -> str:
    return " ".join(f"{problem.what} {problem.todo}" for problem in section.problems)


# The command


#: Runs the check once, prints it in both formats, and then the large libraries that the process has loaded.
WELL = """
import importlib.metadata, sys
importlib.metadata.requires = lambda name: ["torch>=2.6", "numpy>=2.0"]
from parapluie_gui.features.doctor import command as doctor
from parapluie_gui.commands.main import main
sections = doctor.examine()
doctor.examine = lambda: sections
for arguments in (["doctor"], ["doctor", "--json"]):
    assert main(arguments) == 0
    print("-----")
print(*{"torch", "transformers", "PySide6"} & set(sys.modules))
"""


def test_a_sound_installation_gives_exit_status_0_and_loads_nothing_large():
    done = subprocess.run([sys.executable, "-c", WELL], capture_output=True, text=True, check=True)
    out, written, loaded = done.stdout.split("-----\n")
    assert out.endswith("No problems found.\n")
    for word in ("ParaPLUIE Inspector", "Python", "torch", "memory", "cores", "offscreen", "temporary files", "pocket"):
        assert word in out
    result = json.loads(written)
    assert result["problems"] == []
    assert set(result["facts"]) == {"Versions", "Computer", "Window", "Folders", "Models"}
    assert result["facts"]["Computer"]["PyTorch"].startswith(importlib.metadata.version("torch"))
    assert loaded.strip() == ""


def test_problems_give_exit_status_1_and_are_listed(capsys, monkeypatch):
    def two(section):
        section.complain("A is wrong.", "Do B.")
        section.complain("C is wrong.", "Do D.")

    monkeypatch.setattr(examination, "_PARTS", (("One", two),))
    assert main(["doctor"]) == 1
    assert capsys.readouterr().out.endswith(
        "2 problems found:\n  1. A is wrong.\n     Do B.\n  2. C is wrong.\n     Do D.\n"
    )
    assert main(["doctor", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["problems"][1] == {"what": "C is wrong.", "todo": "Do D."}


def test_a_part_of_the_check_that_fails_is_reported_as_a_problem(monkeypatch):
    def breaks(section):
        section.add("before", 1)
        raise KeyError("odd")

    monkeypatch.setattr(examination, "_PARTS", (("One", breaks), ("Two", lambda section: section.add("b", 2))))
    one, two = examination.examine()
    assert one.facts == [("before", "1")] and "KeyError: 'odd'" in problem_text(one)
    assert (two.facts, two.problems) == ([("b", "2")], [])


def test_names_in_facts_stay_on_one_line():
    section = DoctorSection("S")
    section.add("a\nb", "bad\udcff")
    section.complain("x\ny.", "z.")
    assert "a b  bad\ufffd" in as_text([section]) and "x y." in as_text([section])
    as_json([section]).encode("utf-8")


# Versions


@pytest.mark.parametrize(
    ("asked", "installed", "words"),
    [
        ("numpy>=2.0", "1.26.4", ("numpy is 1.26.4", ">=2.0", "pip install 'numpy>=2.0'")),
        ("torch<2.14,>=2.6", "2.15.0+cu128", ("torch is 2.15.0+cu128", "<2.14,>=2.6")),
        ("torch<2.14,>=2.6", None, ("torch is not installed", "pip install 'torch<2.14,>=2.6'")),
        ("torch<2.14,>=2.6", "2.13.0+cpu", ()),
        ("torch<2.14,>=2.6", "2.14.0a0", ("torch is 2.14.0a0",)),
        ('peft>=0.20; extra == "adapters"', None, ()),
        ('peft>=0.20; extra == "adapters"', "0.1", ("peft is 0.1",)),
    ],
)
def test_versions_are_compared(monkeypatch, asked, installed, words):
    monkeypatch.setattr(machine, "_installed_version", lambda name: installed)
    section = DoctorSection("part")
    machine._compare(section, Requirement(asked))
    assert len(section.facts) == 1
    assert bool(section.problems) == bool(words)
    assert all(word in problem_text(section) for word in words)


def test_the_version_of_pyside_that_aborts_is_named(monkeypatch):
    monkeypatch.setattr(machine, "_installed_version", {machine.QT: "6.12.0", "shiboken6": "6.12.0"}.get)
    monkeypatch.setattr(machine.sys, "version_info", (3, 11, 7))
    section = DoctorSection("part")
    machine._compare(section, Requirement("PySide6-Essentials>=6.9,<6.12"))
    assert "abort on Python 3.11" in problem_text(section)


def test_mismatched_parts_of_pyside_are_reported(monkeypatch):
    monkeypatch.setattr(machine, "_installed_version", {machine.QT: "6.11.3", "shiboken6": "6.10.1"}.get)
    monkeypatch.setattr(machine, "_requirements", lambda section: [])
    assert "shiboken6==6.11.3" in problem_text(examined(machine.examine_versions))


def test_a_missing_program_installation_is_reported(monkeypatch):
    def absent(name):
        raise machine.importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(machine.importlib.metadata, "requires", absent)
    assert "pip install ." in problem_text(examined(machine.examine_versions))
    assert machine.pip_requirement("torch") == "torch"


# Computer


@pytest.fixture
def answers(monkeypatch):
    """Replace the answer of PyTorch's process."""

    def answer(status=0, err="", seen="", **found):
        whole = {"version": "2.9", "build": "the CPU", "threads": 2, "bfloat16": True}
        whole |= {"devices": [], "warning": "", "transformers": ""}
        out = "a line of another library\n" + json.dumps({**whole, **found})
        torch = subprocess.CompletedProcess([], status, out, err)
        monkeypatch.setattr(machine, "run_program", lambda command, *rest: torch)
        monkeypatch.setattr(gpus, "_query", lambda fields: seen)
        return examined(machine.examine_computer)

    return answer


GPU = "NVIDIA T4, 15360 MiB, 550.54\n"
CUDA = {"name": "cuda:0", "what": "NVIDIA T4", "error": ""}


def test_a_computer_without_a_gpu_is_not_a_problem(answers):
    section = answers()
    assert section.problems == []
    assert "built for the CPU" in dict(section.facts)["PyTorch"]


@pytest.mark.parametrize(("fast", "words"), [(True, "faster than float32"), (False, "judges use float32")])
def test_the_report_says_whether_bfloat16_is_fast(answers, fast, words):
    assert words in dict(answers(bfloat16=fast).facts)["bfloat16"]


def test_a_gpu_used_by_pytorch_is_named(answers):
    section = answers(seen=GPU, build="CUDA 12.8", devices=[CUDA])
    assert section.problems == []
    assert dict(section.facts)["cuda:0"] == "NVIDIA T4"


@pytest.mark.parametrize(
    ("found", "words"),
    [
        ({"seen": GPU}, "built for the CPU only"),
        ({"seen": GPU, "build": "CUDA 12.8", "warning": "The NVIDIA driver is too old"}, "driver is too old"),
        ({"seen": GPU, "build": "CUDA 12.8", "devices": [{**CUDA, "error": "no kernel image"}]}, "no kernel image"),
        ({"transformers": "ImportError: no name"}, "transformers cannot be loaded: ImportError: no name"),
        ({"status": -11}, "PyTorch cannot be loaded: status -11"),
        ({"status": 1, "err": "Traceback\nImportError: libcudart.so.12"}, "ImportError: libcudart.so.12"),
    ],
)
def test_reasons_why_pytorch_cannot_compute_are_reported(answers, found, words):
    assert words in problem_text(answers(**found))


def test_a_pytorch_process_that_never_answers_is_reported(monkeypatch):
    monkeypatch.setattr(machine, "run_program", lambda *rest: None)
    assert "not loaded within" in problem_text(examined(machine.examine_computer))


def test_the_memory_limit_of_a_container_counts(monkeypatch, tmp_path):
    limit = tmp_path / "memory.max"
    limit.write_text("2147483648\n")
    monkeypatch.setattr(computer, "_CGROUPS", (tmp_path / "none", limit))
    assert computer.memory()[0] == 2**31
    limit.write_text("max\n")
    assert computer.memory()[0] > 2**31
    monkeypatch.setattr(machine, "memory", lambda: (2**34, 2**28))
    section = DoctorSection("part")
    machine._examine_memory(section)
    assert "Only 0.2 GiB" in problem_text(section)


def test_the_facts_that_pytorch_reports_are_listed():
    result = machine.torch_facts()
    assert result["version"] and result["threads"] >= 1 and result["transformers"] == ""
    assert result["bfloat16"] == cpu_has_fast_bfloat16()


# Window


def test_missing_libraries_are_named_with_their_packages(monkeypatch, tmp_path):
    ldd = tmp_path / "ldd"
    ldd.write_text("#!/bin/sh\necho '\tlibc.so.6 => /lib/libc.so.6 (0x1)'\necho '\tlibEGL.so.1 => not found'\n")
    ldd.chmod(0o755)
    monkeypatch.setattr(machine.sys, "platform", "linux")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert machine.find_missing_libraries([Path("a.so"), Path("b.so")]) == ["libEGL.so.1"]
    section = examined(machine.examine_window)
    assert "apt-get install libegl1." in problem_text(section)
    assert "Install the packages that contain libodd.so.3 with" in machine.explain_installing(["libodd.so.3"])


def test_a_platform_plugin_that_does_not_start_is_reported(monkeypatch):
    monkeypatch.setenv("QT_QPA_PLATFORM", "nonsense")
    section = examined(machine.examine_window)
    assert 'Could not find the Qt platform plugin "nonsense"' in problem_text(section)
    assert ("QT_QPA_PLATFORM", "nonsense") in section.facts


def test_a_missing_pyside_is_reported(monkeypatch):
    monkeypatch.setattr(machine.importlib.util, "find_spec", lambda name: None)
    assert "pip install 'PySide6-Essentials" in problem_text(examined(machine.examine_window))


# Folders and models


def test_folders_are_listed_with_permissions_and_free_space(home):
    section = examined(examination.examine_folders)
    assert section.problems == []
    assert f"{home}, read and write, " in dict(section.facts)["data"]


def test_an_unusable_data_folder_is_reported(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("PARAPLUIE_HOME", str(tmp_path / "file"))
    assert "a file has that name" in problem_text(examined(examination.examine_folders))
    assert examined(examination.examine_models).problems == []


def test_a_folder_without_free_space_is_reported(home, monkeypatch):
    home.mkdir()
    monkeypatch.setattr(examination, "_why_not_writable", lambda folder: "No space left on device")
    assert f"{home} cannot be written (No space left on device)" in problem_text(examined(examination.examine_folders))
    monkeypatch.setattr(examination, "_why_not_writable", lambda folder: "")
    monkeypatch.setattr(examination.shutil, "disk_usage", lambda folder: SimpleNamespace(free=3_000_000))
    assert "Only 3 MB are free" in problem_text(examined(examination.examine_folders))


def test_unusable_files_of_the_data_folder_are_reported(home):
    places.user_templates().mkdir(parents=True)
    (places.user_templates() / "x.toml").write_text("a = " + "[" * 20_000)
    places.score_cache().write_bytes(b"SQLite format 3\0 and nothing more")
    (home / "window.json.damaged-1").write_text("?")
    section = examined(examination.examine_folders)
    assert "x.toml" in problem_text(section) and "scores.sqlite" in problem_text(section)
    assert dict(section.facts)["set aside as damaged"] == "window.json.damaged-1"


def test_complete_damaged_and_missing_models_are_distinguished(home, tmp_path, monkeypatch):
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    folder = places.models() / "smollm2-135m"
    folder.mkdir(parents=True)
    (folder / "parapluie-model.json").write_text("{")
    snapshot = tmp_path / "hub" / "models--owner--name" / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    (snapshot / "model.safetensors").write_bytes(b"\x40\0\0\0\0\0\0\0{")
    section = examined(examination.examine_models)
    facts = dict(section.facts)
    assert facts["smollm2-135m"] == facts["owner/name"] == "damaged"
    assert facts["all-minilm-l6-v2"].startswith("not installed (parapluie models get")
    assert "parapluie models get smollm2-135m" in problem_text(
        section
    ) and "model.safetensors of owner/name" in problem_text(section)
    assert len(section.problems) == 2


def test_a_complete_hub_model_is_not_a_problem(tmp_path, monkeypatch):
    import numpy as np
    from safetensors.numpy import save_file

    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path))
    snapshot = tmp_path / "models--owner--name" / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    save_file({"a": np.zeros(3)}, snapshot / "model.safetensors")
    section = examined(examination.examine_models)
    assert dict(section.facts)["owner/name"].startswith("complete")
    assert section.problems == []
    assert dict(section.facts)["pocket"] == "complete" or not catalogue.is_ready(catalogue.POCKET)
