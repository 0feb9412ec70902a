"""A GGUF file in llama.cpp: the same scores as PyTorch, bad files, and interruptions."""

from __future__ import annotations

import math
import os
import select
import subprocess
import sys
import time
from functools import partial
from importlib.metadata import version
from pathlib import Path

import pytest
from tiny_gguf import write_gguf
from waiting import in_time

from parapluie_gui.errors import ModelError
from parapluie_gui.models.catalogue import find_model
from parapluie_gui.pairs.corpus import Corpus
from parapluie_gui.pluie.causal import CausalJudge
from parapluie_gui.pluie.causal_scorer import CausalScorer
from parapluie_gui.pluie.judge import judge_class
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.work.local import LocalScorer
from parapluie_gui.work.scoring_plan import ScoringPlan

pytest.importorskip("xllamacpp")
from parapluie_gui.features.servers import local
from parapluie_gui.features.servers.connection import RefusedRequest
from parapluie_gui.features.servers.local import LlamaCppJudge

SOURCES = ["The cat sat down.", "It rained.", "He “left” early.", "漢字 and é", "a <|im_end|> b"]
HYPOTHESES = ["A dog.", "There was rain, and much of it.", "(He stayed)", "ça va", "[INST] c"]


class Stop(Exception):
    pass


@pytest.fixture(scope="module")
def files(tmp_path_factory, tokenizers):
    file = tmp_path_factory.mktemp("gguf") / "tiny.gguf"
    write_gguf(file, tokenizers("qwen2"))
    return find_model(str(file))


@pytest.fixture(scope="module")
def judge(files):
    return LlamaCppJudge.load(files, "cpu")


def scores(scorer):
    result = [one for batch in scorer.score(SOURCES, HYPOTHESES) for one in batch]
    return sorted(result, key=lambda one: one.row)


@pytest.mark.parametrize("name", ["DIRECT", "FS-DIRECT"])
def test_scores_and_evidence_match_pytorch(name, judge, files, templates):
    ours = scores(CausalScorer(CausalJudge.load(files, "cpu", "float32"), templates[name]))
    theirs = scores(judge.scorer(templates[name]))
    for one, other in zip(ours, theirs, strict=True):
        # llama.cpp stores keys and values as float16
        assert other.score == pytest.approx(one.score, abs=0.005)
        assert math.exp(other.score) == pytest.approx(other.evidence.p_yes / other.evidence.p_no, rel=1e-4)
        assert (other.evidence.tokens, other.evidence.neutralised) == (one.evidence.tokens, one.evidence.neutralised)
        assert other.evidence.p_yes == pytest.approx(one.evidence.p_yes, rel=0.05)
        assert [p for _, p in other.evidence.top] == pytest.approx([p for _, p in one.evidence.top], rel=0.05)


def test_in_exact_mode_no_state_is_kept_between_requests(judge, templates, monkeypatch):
    bodies: list[dict] = []
    connection = judge._engine._connection
    real = connection.post

    def post(path, body):
        if path == "/completion":
            bodies.append(body)
        return real(path, body)

    monkeypatch.setattr(connection, "post", post)
    usual, exact = judge.scorer(templates["DIRECT"]), judge.scorer(templates["DIRECT"], exact=True)
    assert str(usual.signature) != str(exact.signature)
    first = scores(exact)
    assert bodies and not any(body["cache_prompt"] for body in bodies)
    again = [one for batch in exact.score(SOURCES[::-1], HYPOTHESES[::-1]) for one in batch]
    after_others = {one.row: one.score for one in again}
    assert [one.score for one in first] == [after_others[len(SOURCES) - 1 - one.row] for one in first]
    del bodies[:]
    scores(usual)
    assert bodies and all(body["cache_prompt"] for body in bodies)
    written = judge.scorer(templates["INDIRECT"], exact=True)
    del bodies[:]
    scores(written)
    assert any(body["n_predict"] > 1 for body in bodies) and not any(body["cache_prompt"] for body in bodies)


@pytest.mark.parametrize("name", ["DIRECT", "FS-DIRECT", "INDIRECT"])
def test_a_score_depends_on_no_other_pair_and_equals_exact_mode(name, judge, templates):
    scorer = judge.scorer(templates[name])
    assert scorer._engine._beginning
    first = scores(scorer)
    together = [one.score for one in first]
    alone = [
        next(scorer.score([source], [hypothesis]))[0].score
        for source, hypothesis in zip(SOURCES, HYPOTHESES, strict=True)
    ]
    backwards = [one for batch in scorer.score(SOURCES[::-1], HYPOTHESES[::-1]) for one in batch]
    backwards = [one.score for one in sorted(backwards, key=lambda one: -one.row)]
    exact = [one.score for one in scores(judge.scorer(templates[name], exact=True))]
    assert together == alone == backwards == exact
    again = scores(scorer)
    assert [one.evidence.explanation for one in first] == [one.evidence.explanation for one in again]


def test_every_request_begins_with_the_stored_prefix(judge, templates, monkeypatch):
    paths: list[str] = []
    real = judge._engine._connection.post
    monkeypatch.setattr(judge._engine._connection, "post", lambda path, body: paths.append(path) or real(path, body))
    monkeypatch.setattr(judge._engine, "_stored", set())
    scorer = judge.scorer(templates["DIRECT"])
    assert [path for path in paths if path != "/tokenize"] == ["/completion", "/slots/0?action=save"]
    judge.scorer(templates["DIRECT"])
    assert paths.count("/completion") == 1, "the next pair in the Bench does not compute it again"
    del paths[:]
    scores(scorer)
    asked = [path for path in paths if path != "/tokenize"]
    assert asked[::2] == ["/slots/0?action=restore"] * len(asked[::2]) and set(asked[1::2]) == {"/completion"}


def test_without_a_stored_prefix_every_prompt_is_computed_completely(judge, monkeypatch):
    def refuse(path, body):
        raise RefusedRequest("This server stores no slots.", 501, "not supported")

    assert not judge._engine.with_beginning([1, 2, 3])._uses_cache, (
        "the prefix is shorter than a block of the matrix product"
    )
    monkeypatch.setattr(judge._engine._connection, "post", refuse)
    engine = judge._engine.with_beginning(list(range(1, 40)))
    assert not engine._uses_cache and not engine._beginning


def test_the_tokens_of_the_answers_are_reported(judge, files, templates):
    ours = CausalScorer(CausalJudge.load(files, "cpu", "float32"), templates["DIRECT"])
    assert judge.scorer(templates["DIRECT"]).answer_tokens == ours.answer_tokens


def test_a_control_token_in_a_sentence_has_no_effect(judge, templates):
    prompts = judge.scorer(templates["DIRECT"])._question.encode([0, 1], ["a", "x<|im_start|>y"], ["b", "z"])
    acting = [[id for id in prompt.ids if id in judge._renderer.control_ids] for prompt in prompts]
    assert acting[0] == acting[1] and acting[0] and prompts[1].neutralised


def test_an_unlikely_answer_has_its_exact_probability(judge):
    ids = judge._renderer.encode(["The cat sat down."])[0]
    every = judge._engine.next_token(ids, range(40))
    assert len(every.logs) > 40 and sum(p for _, p in every.top) <= 1
    assert all(math.isfinite(log) and log < 0 for log in every.logs.values())


def test_a_pair_longer_than_the_context_gets_no_score(judge, templates):
    warned: list[str] = []
    scorer = judge.scorer(templates["DIRECT"], warn=warned.append)
    [[one]] = list(scorer.score(["word " * 5000], ["b"]))
    assert math.isnan(one.score) and not one.asked and "get no score" in warned[0]


def test_a_stop_acts_at_once_and_no_request_is_repeated(files, templates, monkeypatch):
    stop: list[bool] = []

    def check():
        if stop:
            raise Stop

    judge = LlamaCppJudge.load(files, "cpu", check=check)
    asked: list[tuple[int, ...]] = []
    real = judge._engine._sample

    def slowly(ids, token):
        asked.append((*ids, token))
        time.sleep(0.6)
        return real(ids, token)

    monkeypatch.setattr(judge._engine, "_sample", slowly)
    take_fingerprint: list[float] = []

    def guard(work):
        if not stop and not take_fingerprint:
            # during the first request
            import threading

            threading.Timer(0.2, stop.append, [True]).start()
            started = time.monotonic()
            with pytest.raises(Stop):
                work()
            take_fingerprint.append(time.monotonic() - started)
            stop.clear()
        return work()

    scorer = judge.scorer(templates["DIRECT"], guard=guard)
    result = [one for batch in scorer.score(SOURCES[:2], HYPOTHESES[:2]) for one in batch]
    assert take_fingerprint[0] < in_time(0.4) and {one.row for one in result} == {0, 1}
    assert len(asked) == len(set(asked))


def test_a_truncated_file_is_refused_in_one_sentence(files, tmp_path):
    cut = tmp_path / "cut.gguf"
    cut.write_bytes((files.folder / "tiny.gguf").read_bytes()[:3000])
    with pytest.raises(ModelError, match=r"cut.gguf cannot be loaded by llama.cpp. It may be incomplete"):
        LlamaCppJudge.load(find_model(str(cut)), "cpu")


def test_a_flipped_bit_that_aborts_llama_cpp_gives_one_sentence(files, tmp_path):
    content = (files.folder / "tiny.gguf").read_bytes()
    token = (1).to_bytes(8, "little")
    assert token + b"v" in content and token + b"w" in content
    flipped = tmp_path / "flipped.gguf"
    flipped.write_bytes(content.replace(token + b"v", token + b"w", 1))  # a duplicate token: an assertion of llama.cpp
    with pytest.raises(
        ModelError, match=r"flipped.gguf cannot be loaded by llama.cpp. It may be incomplete or damaged"
    ):
        LlamaCppJudge.load(find_model(str(flipped)), "cpu")


def test_a_crash_of_llama_cpp_during_the_work_gives_one_sentence_at_once(files, templates, monkeypatch):
    started = []
    popen = subprocess.Popen
    monkeypatch.setattr(subprocess, "Popen", lambda *args, **more: started.append(popen(*args, **more)) or started[-1])
    judge = LlamaCppJudge.load(files, "cpu")
    (process,) = (one for one in started if "own_process" in str(one.args))
    assert not any(len(word) > 100 or "key" in word for word in process.args)
    scorer = judge.scorer(templates["DIRECT"])
    assert len(scores(scorer)) == len(SOURCES)
    process.kill()
    before = time.monotonic()
    with pytest.raises(ModelError, match=r"llama.cpp crashed while running tiny.gguf. The file may be damaged"):
        scores(scorer)
    assert time.monotonic() - before < in_time(5)


def test_messages_name_llama_cpp_and_no_address(judge):
    assert judge._engine._connection.host == "llama.cpp"


@pytest.mark.skipif(sys.platform != "linux", reason="children are looked up in /proc")
def test_llama_cpp_ends_with_its_parent_process(files):
    code = (
        "import sys, time; from parapluie_gui.models.catalogue import find_model;"
        "from parapluie_gui.features.servers.local import LlamaCppJudge;"
        "judge = LlamaCppJudge.load(find_model(sys.argv[1]), 'cpu'); print(judge.scorer, flush=True); time.sleep(600)"
    )
    command = [sys.executable, "-c", code, str(files.folder / "tiny.gguf")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as owner:
        assert owner.stdout is not None and owner.stdout.readline()
        children = Path(f"/proc/{owner.pid}/task/{owner.pid}/children").read_text().split()
        running = [os.pidfd_open(int(child)) for child in children]
        owner.kill()
    assert len(running) == 2, "llama.cpp, and the process that renders chat templates"
    for child in running:
        assert select.select([child], [], [], in_time(5))[0]  # readable once it has ended
        os.close(child)


def test_llamacpp_runs_a_gguf_file_unless_a_type_is_named(files, monkeypatch, templates):
    choose = partial(judge_class, files)
    assert choose() is choose("cpu") is LlamaCppJudge
    assert choose("cpu", "float32") is choose("cuda") is CausalJudge
    signature = LlamaCppJudge.signature(files, templates["DIRECT"], JudgeSettings(str(files.folder / "tiny.gguf")))
    assert "llama.cpp" in str(signature) and str(signature) != str(
        CausalJudge.signature(files, templates["DIRECT"], JudgeSettings("x", "cpu", "float32"))
    )
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert choose() is CausalJudge
    monkeypatch.setitem(sys.modules, "xllamacpp", None)
    with pytest.raises(ModelError, match=r"pip install 'parapluie_gui\[llamacpp\]'"):
        LlamaCppJudge.load(files)


def test_the_number_of_threads_changes_no_score(files, templates, monkeypatch):
    """The number of threads is therefore not in the signature."""
    results = []
    for count in (1, 3):
        monkeypatch.setattr(local, "count_threads", lambda count=count: count)
        scorer = LlamaCppJudge.load(files, "cpu").scorer(templates["DIRECT"], exact=True)
        results.append([one.score for one in scores(scorer)])
    assert results[0] == results[1]


def test_the_time_per_pair_names_llama_cpp(files, templates):
    corpus = Corpus("c", source=SOURCES, hypothesis=HYPOTHESES, id=list("12345"))
    plan = ScoringPlan.from_judge(JudgeSettings(str(files.folder / files.gguf)), (templates["DIRECT"],))
    table, _ = LocalScorer().score(corpus, plan)
    assert "s per pair on llama.cpp (5 pairs)" in table.signatures["pluie.direct"].cost


def test_the_signature_has_the_version_of_llama_cpp(files, templates, monkeypatch):
    first = LlamaCppJudge.signature(files, templates["DIRECT"], JudgeSettings("tiny"))
    assert dict(first.fields)["engine"] == f"xllamacpp {version('xllamacpp')}"
    monkeypatch.setattr(local, "version", lambda package: "0.0")
    assert LlamaCppJudge.signature(files, templates["DIRECT"], JudgeSettings("tiny")).key != first.key
