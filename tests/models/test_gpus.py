"""GPUs as listed by NVIDIA's driver, which a program replaces here."""

from __future__ import annotations

import pytest

from parapluie_gui.models import gpus
from parapluie_gui.models.gpus import Gpu, parse_gpus

TOLD = "0, NVIDIA H100 80GB HBM3, 71680, 81559\n1, NVIDIA GeForce RTX 3090, 1024, 24576\n"
H100 = Gpu("cuda:0", "NVIDIA H100 80GB HBM3", 71680 << 20, 81559 << 20)


def test_the_drivers_lines_are_parsed():
    assert parse_gpus(TOLD, None) == [H100, Gpu("cuda:1", "NVIDIA GeForce RTX 3090", 1024 << 20, 24576 << 20)]
    assert [gpu.name[7:11] for gpu in parse_gpus(TOLD, "1,0")] == ["GeFo", "H100"]
    assert parse_gpus(TOLD, "1") == [Gpu("cuda:0", "NVIDIA GeForce RTX 3090", 1024 << 20, 24576 << 20)]


@pytest.mark.parametrize(
    ("told", "visible"),
    [("", None), ("NVIDIA-SMI has failed", None), ("0, X, [N/A], [N/A]\n", None), (TOLD, "GPU-5a3c"), (TOLD, "")],
)
def test_unparsable_lines_give_no_gpus(told, visible):
    assert parse_gpus(told, visible) == []


@pytest.mark.parametrize(("status", "found"), [(0, [H100]), (9, [])])
def test_the_driver_program_is_run(tmp_path, monkeypatch, status, found):
    program = tmp_path / "nvidia-smi"
    program.write_text(f"#!/bin/sh\necho '0, NVIDIA H100 80GB HBM3, 71680, 81559'\nexit {status}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert gpus.list_gpus() == found
    monkeypatch.setenv("PATH", "/nowhere")
    assert gpus.driver_program() is None and gpus.list_gpus() == []
