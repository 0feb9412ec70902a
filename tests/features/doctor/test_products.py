"""The check of NumPy's matrix products names the kernels, and the environment that makes them slower."""

from __future__ import annotations

import json
import subprocess

import pytest

from parapluie_gui.features.doctor import products
from parapluie_gui.features.doctor.findings import DoctorSection


def examined() -> DoctorSection:
    section = DoctorSection("Computer")
    products.examine_products(section)
    return section


def test_this_computers_library_is_named(monkeypatch):
    monkeypatch.delenv(products.KERNELS, raising=False)
    section = examined()
    assert section.problems == []
    assert "threads: " in dict(section.facts)["matrix products"]


@pytest.fixture
def seconds(monkeypatch):
    """Replace the measured seconds, with the kernels that the environment names and with the processor's own."""

    def replace(named: float, own: float) -> None:
        def run(command, timeout, environment):
            one = own if environment else named
            facts = {"library": "openblas 0.3", "kernels": "Zen", "threads": 2, "seconds": one}
            return subprocess.CompletedProcess([], 0, json.dumps(facts) + "\n", "")

        monkeypatch.setattr(products, "run_program", run)

    return replace


def test_kernels_that_the_environment_makes_slower_are_a_problem(monkeypatch, seconds):
    monkeypatch.setenv(products.KERNELS, "Katmai")
    seconds(0.08, 0.01)
    (problem,) = examined().problems
    assert problem.what.startswith("OPENBLAS_CORETYPE=Katmai makes matrix products 8.0 times slower")
    assert problem.todo == "Unset OPENBLAS_CORETYPE."
    seconds(0.0101, 0.01)
    assert examined().problems == []


def test_kernels_of_the_processor_are_not_compared(monkeypatch, seconds):
    monkeypatch.delenv(products.KERNELS, raising=False)
    seconds(0.08, 0.01)
    assert examined().problems == []


@pytest.mark.parametrize("out", ["", "not JSON\n", '{"other": 1}\n'])
def test_a_process_without_an_answer_is_not_a_problem(monkeypatch, out):
    monkeypatch.setattr(products, "run_program", lambda *rest: subprocess.CompletedProcess([], 0, out, ""))
    section = examined()
    assert section.problems == [] and dict(section.facts) == {}
