"""Without PyTorch, transformers and pandas, everything that does not need them works, and the rest names what is
missing.

`packaging/smoke` tests the same in an environment that really lacks them, and in the portable application.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from without_packages import HEAVY, ROOT, environment, run

from parapluie_gui.feature import installed_features
from parapluie_gui.metrics import catalogue
from parapluie_gui.models.catalogue import POCKET, is_ready

pytestmark = pytest.mark.skipif(not is_ready(POCKET), reason="the pocket judge has no weights here")

#: Writes tables, and prints the messages of the Python interface.
_READ = """
import parapluie_gui as pp
def numbers(path):
    corpus = pp.read(path)
    return [list(map(float, corpus.numbers(name))) for name in ("bleu", "pluie.cloze")]
first = numbers("out.csv")
for ending in ("jsonl", "parquet", "xlsx", "tsv"):
    for one, two in zip(first, numbers("out." + ending)):
        assert max(abs(x - y) for x, y in zip(one, two)) < 1e-12, ending
corpus = pp.read("pairs.csv", limit=20)
scores = pp.score(corpus, metrics=["bleu"], judge="pocket")
assert pp.analyse(scores, "thresholds").tables["thresholds"].csv()
from parapluie_gui.scores.signature import pair_key
from parapluie_gui.storage.session import Session
with Session.open("kept.pluie", create=True) as session:
    session.add_corpus(corpus)
    keys = list(map(pair_key, corpus.source, corpus.hypothesis))
    session.store.put(scores.signatures["bleu"], keys, scores["bleu"])
with pp.open_session("kept.pluie") as session:
    assert session.scores()["bleu"].tolist() == scores["bleu"].tolist()
try:
    scores.to_frame()
except pp.ParapluieError as error:
    print("frame:", error)
"""

FEATURES = {feature.name for feature in installed_features()}

#: For each feature that has one, a command that does not need the packages.
COMMANDS_OF_FEATURES = {
    "errors": ["errors", "out.csv"],
    "share": ["share", "out.csv", "-o", "page.html", "--without-sentences", "--report", "report.html"],
    "explain": [
        *("explain", "--pair", "It rose.", "It fell."),
        *("--metric", "bleu"),
        *("--judge", "pocket"),
        *("--figure", "why.svg"),
    ],
    "certificate": ["certify", "bleu", "--judge", "pocket", "--pairs", "100"],
    "passport": ["passport", "pocket", "--pairs", "30", "--draws", "10"],
    "doctor": ["doctor"],
}

_COMMANDS = """
import sys
from parapluie_gui.commands import net
def parapluie(*arguments, status=0):
    print("+", *arguments, flush=True)
    assert net.run(arguments) == status, arguments
for each in {commands!r}:
    parapluie(*each)
for each in {refused!r}:
    print("?", *each, file=sys.stderr, flush=True)
    parapluie(*each, status=2)
{read}
loaded = set(sys.modules) & set({heavy!r})
assert not loaded, loaded
"""


@pytest.fixture(scope="module")
def messages(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """Run the commands in one Python without the packages, and return their messages."""
    where = tmp_path_factory.mktemp("light")
    lexical = [
        entry.id for entry, _ in catalogue.shipped_metrics() if entry.family == "lexical" and entry.id != "meteor"
    ]
    specs = [part for spec in lexical for part in ("--metric", spec)]
    commands = [
        ["demo", "pairs.csv"],
        ["score", "pairs.csv", "-o", "lexical.csv", *specs, "--limit", "20"],
        ["score", "pairs.csv", "-o", "out.csv", "--metric", "bleu", "--judge", "pocket", "--limit", "60"],
        *(["score", "out.csv", "-o", f"out.{ending}"] for ending in ("tsv", "jsonl", "parquet", "xlsx")),
        ["analyse", "out.csv", "--draws", "10", "--out", "analysis"],
        ["models", "info", "pocket"],
        *(command for feature, command in COMMANDS_OF_FEATURES.items() if feature in FEATURES),
    ]
    refused = [
        ["score", "pairs.csv", "-o", "no.csv", "--metric", "sbert"],
        ["score", "pairs.csv", "-o", "no.csv", "--judge", "pocket", "--device", "cuda"],
        ["score", "pairs.csv", "-o", "no.csv", "--judge", "smollm2-135m"],
        ["models", "get", "smollm2-135m"],
        ["models", "get", "owner/name", "--yes"],
        *([["train-judge", "pocket", "pairs.csv", "-o", "judge"]] if "training" in FEATURES else []),
    ]
    script = _COMMANDS.format(commands=commands, refused=refused, read=_READ, heavy=HEAVY)
    return run(script, where / "site", where)


def test_commands_that_need_no_pytorch_run(messages):
    assert messages.returncode == 0, messages.stderr[-3000:]
    assert "packed pass without PyTorch" in messages.stdout, "models info"
    assert (
        "frame: A data frame needs pandas, which is not installed. Install it: pip install 'pandas" in messages.stdout
    )


@pytest.mark.needs("doctor")
def test_the_doctor_accepts_a_light_installation(messages):
    assert "no problems found" in messages.stdout.lower()


def test_commands_that_need_more_name_the_missing_package(messages):
    blocks = re.split(r"^\? ", messages.stderr, flags=re.MULTILINE)[1:]
    for block, what in zip(
        blocks,
        (
            "SBERT cosine needs PyTorch",
            "The device cuda needs PyTorch",
            "SmolLM2-135M-Instruct needs PyTorch",
            "SmolLM2-135M-Instruct needs PyTorch",
            "Fetching from the Hugging Face hub needs huggingface_hub",
            *(["Training a judge needs PyTorch"] if "training" in FEATURES else []),
        ),
        strict=True,
    ):
        (sentence,) = re.findall(r"^parapluie: (.*)$", block, flags=re.MULTILINE)
        assert sentence.startswith(f"{what}, which is not installed. Install it: pip install '"), block


def test_the_window_scores_the_demo(tmp_path):
    """The window runs in a separate process with its worker."""
    command = [sys.executable, "-m", "parapluie_gui", "gui", "--demo", "--screenshot", "window.png"]
    site = environment(tmp_path / "site")
    done = subprocess.run(command, cwd=tmp_path, env=site, capture_output=True, text=True, timeout=280)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "window.png").read_bytes().startswith(b"\x89PNG")


def test_the_light_requirements_match_the_programs():
    """The list contains every requirement of the program that a light installation has, with the same bounds."""
    lines = (ROOT / "packaging" / "light.txt").read_text("utf-8").splitlines()
    listed = {canonicalize_name(each.name): each for each in map(Requirement, filter(None, _bare(lines)))}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    asked = {canonicalize_name(each.name): each for each in map(Requirement, project["dependencies"])}
    left_out = {"torch", "transformers", "huggingface-hub", "gguf", "accelerate", "pandas"}
    for name in asked.keys() - left_out:
        assert listed[name].specifier == asked[name].specifier, name
    assert not left_out & listed.keys()
    assert listed["shiboken6"].specifier == listed["pyside6-essentials"].specifier


def _bare(lines: list[str]) -> list[str]:
    return [line.partition("#")[0].strip() for line in lines]
