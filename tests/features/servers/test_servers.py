"""Judges on servers: our own scores by token ids, bounds through the chat interface, and misleading servers."""

from __future__ import annotations

import itertools
import json
import math
import threading

import pytest
from http_server import QuietHandler, listening
from model_servers import ErrorAnswer, by_ids, chatting, lm_studio, ollama, serving
from tiny_gguf import write_gguf

from parapluie_gui.errors import ModelError
from parapluie_gui.features.servers import connection
from parapluie_gui.features.servers import ollama as own_interface
from parapluie_gui.features.servers import record as servers
from parapluie_gui.features.servers.bounds import log, score_from_ranges
from parapluie_gui.features.servers.connecting import connect
from parapluie_gui.features.servers.connection import ServerConnection
from parapluie_gui.models import sources
from parapluie_gui.models.catalogue import find_kind, find_model
from parapluie_gui.pairs import Corpus
from parapluie_gui.pluie.causal import CausalJudge
from parapluie_gui.pluie.causal_scorer import CausalScorer
from parapluie_gui.pluie.judge import judge_class
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.report.table import write_table
from parapluie_gui.work.local import LocalScorer
from parapluie_gui.work.scoring_plan import ScoringPlan

SOURCES = ["The cat sat down.", "It rained.", "He “left” early.", "漢字 and é"]
HYPOTHESES = ["A dog.", "There was rain, and much of it.", "(He stayed)", "ça va"]


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("PARAPLUIE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(connection, "WAITS", (0.01, 0.01))


def scores(scorer, sources=SOURCES, hypotheses=HYPOTHESES):
    result = [one for batch in scorer.score(sources, hypotheses) for one in batch]
    return sorted(result, key=lambda one: one.row)


def judged(address, template, sources=SOURCES, hypotheses=HYPOTHESES, **options):
    files = find_model(address)
    return scores(judge_class(files).load(files).scorer(template, **options), sources, hypotheses)


def probed(body):
    """Return whether a request is one of the program's own probes, which identify the model."""
    return "Answer with one word" in str(body)


def answers(text):
    if "Answer with one word" in text:
        return {"Yes": 0.9, "No": 0.05} if "is: Yes" in text else {"No": 0.9, "Yes": 0.05}
    return {"Yes": 0.7, "No": 0.2, "The": 0.05}


@pytest.mark.parametrize("owner", ["vllm", "sglang"])
def test_scores_by_token_ids_equal_those_of_our_own_forward_pass(owner, folders, templates):
    folder = folders("qwen2")
    own = CausalJudge.load(find_model(str(folder)), "cpu", "float32")
    with serving(by_ids(own, str(folder), owner)) as (address, asked):
        result = connect(f"{address}/v1#tiny")
        assert result.engine == {"vllm": "vLLM", "sglang": "SGLang"}[owner] and result.address == f"{address}#tiny"
        theirs = judged(f"{address}#tiny", templates["DIRECT"])
    ours = scores(CausalScorer(own, templates["DIRECT"]))
    assert [one.score for one in theirs] == pytest.approx([one.score for one in ours], abs=1e-3)
    assert [one.evidence.p_no for one in theirs] == pytest.approx([one.evidence.p_no for one in ours], rel=1e-3)
    sent = [json.dumps(body) for path, body, _ in asked if path in ("/v1/completions", "/v1/score")]
    # Four probes on connecting and three on loading.
    assert len(sent[7:]) == len(set(sent[7:])) == len(SOURCES)


def test_a_vllm_server_that_scores_only_single_tokens_is_supported(folders, templates):
    folder = folders("qwen2")
    own = CausalJudge.load(find_model(str(folder)), "cpu", "float32")
    routes = by_ids(own, str(folder), "vllm")
    routes["/v1/completions"] = lambda body: {"choices": [{"text": "x", "logprobs": None}]}
    with serving(routes) as (address, asked):
        assert connect(address).engine == "vLLM"
        del asked[:]
        theirs = judged(address, templates["DIRECT"])
        assert sum(path == "/v1/completions" for path, *_ in asked) <= 8  # the probabilities of the first token
        routes["/generative_scoring"] = lambda body: {"data": [{"score": 1.0}]}
        with pytest.raises(ModelError, match="does not return the log-probabilities of chosen tokens"):
            judged(address, templates["DIRECT"])
    ours = scores(CausalScorer(own, templates["DIRECT"]))
    assert [one.score for one in theirs] == pytest.approx([one.score for one in ours], abs=1e-3)


def test_ollama_gets_our_own_prompt_if_its_model_file_is_local(tmp_path, tokenizers, templates, monkeypatch):
    file = tmp_path / "sha256-abc"
    write_gguf(tmp_path / "tiny.gguf", tokenizers("qwen2"))
    file.symlink_to(tmp_path / "tiny.gguf")
    own, lock = CausalJudge.load(find_model(str(tmp_path / "tiny.gguf")), "cpu", "float32"), threading.Lock()

    def tell(text):
        with lock:
            result = own.answer_logits([own.tokenizer(text)["input_ids"]])[0, 0].softmax(-1).tolist()
        pieces = {own.tokenizer.decode([id]): p for id, p in enumerate(result) if p > 0}
        return dict(sorted(pieces.items(), key=lambda each: -each[1]))

    monkeypatch.setattr(own_interface, "TOP_TOKENS", 10**6)  # of which Ollama reports 20
    with serving(ollama(tell, str(file), own.tokenizer)) as (address, asked):
        result = connect(f"{address}#llama3")
        assert (result.engine, result.model) == ("Ollama raw", "llama3:latest") and "bound" in result.note
        del asked[:]
        theirs = judged(f"{address}#llama3", templates["DIRECT"])
        assert len([1 for path, *_ in asked if path == "/api/generate"]) == len(SOURCES) + 1
        files, warned = find_model(f"{address}#llama3"), []
        judge = judge_class(files).load(files)
        [acting] = scores(judge.scorer(templates["DIRECT"]), ["a <|im_end|> b"], ["c"])
        judge._engine._begin = [0]  # a prompt without the beginning that the server adds to every text
        [unwritable] = scores(judge.scorer(templates["DIRECT"], warn=warned.append), ["a"], ["b"])
    ours = CausalScorer(own, templates["DIRECT"])
    expected = [*scores(ours), *scores(ours, ["a <|im_end|> b"], ["c"])]
    assert [one.score for one in (*theirs, acting)] == pytest.approx([one.score for one in expected], abs=1e-3)
    assert acting.evidence.neutralised
    assert math.isnan(unwritable.score) and "cannot be sent" in warned[0]


@pytest.mark.parametrize(("routes", "engine"), [(ollama, "Ollama"), (lm_studio, "LM Studio")])
def test_other_interfaces_are_used_through_the_chat(routes, engine, templates):
    warned: list[str] = []
    with serving(routes(answers)) as (address, asked):
        result = connect(address)
        judge = judge_class(find_model(address)).load(find_model(address))
        theirs = scores(judge.scorer(templates["DIRECT"], warn=warned.append))
        [long] = scores(judge.scorer(templates["DIRECT"], warn=warned.append), ["word " * 5000], ["b"])
    assert result.engine == engine and "renders the prompt itself" in result.note
    assert [round(one.score, 3) for one in theirs] == [round(math.log(3.5), 3)] * 4
    assert not any(path == "/v1/chat/completions" for path, *_ in asked) and judge.spending().read > 0
    if engine == "Ollama":
        assert math.isnan(long.score) and "longer than the server's context get no score" in warned[0]


def test_a_llamacpp_server_gives_the_scores_of_the_file(tmp_path, tokenizers, templates):
    xllamacpp = pytest.importorskip("xllamacpp")
    from parapluie_gui.features.servers.local import LlamaCppJudge
    from parapluie_gui.features.servers.own_engine import NO_FLASH_ATTENTION

    write_gguf(tmp_path / "tiny.gguf", tokenizers("qwen2"))
    wanted = xllamacpp.CommonParams()
    wanted.model.path = str(tmp_path / "tiny.gguf")
    wanted.n_ctx, wanted.verbosity, wanted.warmup = 1024, -1, False
    wanted.flash_attn_type = NO_FLASH_ATTENTION
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = 1
    running = xllamacpp.Server(wanted)
    result = connect(running.listening_address)
    assert (result.engine, result.model, result.key) == ("llama.cpp", "tiny.gguf", False)
    files = find_model(str(tmp_path / "tiny.gguf"))
    ours = scores(CausalScorer(CausalJudge.load(files, "cpu", "float32"), templates["DIRECT"]))
    theirs = judged(running.listening_address, templates["DIRECT"])
    assert [one.score for one in theirs] == pytest.approx([one.score for one in ours], abs=0.005)
    served = judged(running.listening_address, templates["DIRECT"], exact=True)
    judge = LlamaCppJudge.load(files, "cpu")
    own = scores(judge.scorer(templates["DIRECT"], exact=True))
    assert [one.score for one in served] == [one.score for one in own], "exact: the same on every machine"


def test_an_unreported_answer_gives_a_bound(templates):
    def tell(text):
        if "Answer with one word" in text:
            return answers(text)
        return (
            {"Yes": 0.9, "The": 0.01}
            if "cat" in text
            else {"The": 0.6, "No": 0.3}
            if "rain" in text
            else {"A": 0.5, "B": 0.1}
        )

    warned: list[str] = []
    with serving(chatting(tell)) as (address, _):
        assert connect(address).engine == "chat"
        result = judged(address, templates["DIRECT"], warn=warned.append)
    at_least, at_most, *nothing = result
    assert at_least.score == pytest.approx(math.log(0.9 / 0.01)) and math.isnan(at_least.evidence.p_no)
    assert at_most.score == pytest.approx(math.log(0.3 / 0.3)) and math.isnan(at_most.evidence.p_yes)
    assert all(math.isnan(one.score) and not one.is_broken for one in nothing) and "get no score" in warned[0]


@pytest.mark.parametrize(
    ("yes", "no", "score"),
    [
        ((0.7, 0.7), (0.2, 0.2), math.log(3.5)),
        ((0.7, 0.7), (0.0, 0.01), math.log(70)),
        ((0.0, 0.01), (0.7, 0.7), math.log(1 / 70)),
        ((0.0, 0.3), (0.0, 0.3), math.nan),
    ],
)
def test_bounds_are_computed(yes, no, score):
    result, p_yes, p_no = score_from_ranges(*((log(least), log(greatest)) for least, greatest in (yes, no)))
    assert result == pytest.approx(score, nan_ok=True)
    assert math.isnan(p_yes) == (yes[0] == 0) and math.isnan(p_no) == (no[0] == 0)


def drawn(chances):
    """Return the response of a server that reports the probabilities of its tokens."""
    first = max(chances, key=chances.__getitem__)
    return {first: 1.0, **dict.fromkeys(set(chances) - {first}, 1e-300)}


def connection_error(routes):
    with serving(routes) as (address, _), pytest.raises(ModelError) as error:
        connect(address)
    return str(error.value)


def test_misleading_servers_are_refused():
    assert "gives the same answer to different questions" in connection_error(
        chatting(lambda text: {"Yes": 0.6, "No": 0.3})
    )
    assert "silently truncates prompts of 4,480 words" in connection_error(
        chatting(lambda text: answers(" ".join(text.split()[:99])))
    )
    silent = chatting(answers)
    silent["/v1/chat/completions"] = lambda body: {"choices": [{"message": {"content": "Yes"}, "logprobs": None}]}
    assert "returns no log-probabilities for llama3" in connection_error(silent)
    assert "returns the word that it chooses" in connection_error(chatting(lambda text: {**drawn(answers(text))}))
    assert "add up to more than 1" in connection_error(chatting(lambda text: dict.fromkeys(("Yes", "No", "The"), 0.9)))
    turned = {"Yes": "No", "No": "Yes"}
    swapped = chatting(lambda text: {turned.get(word, word): p for word, p in answers(text).items()})
    assert "says No when it is asked to say Yes" in connection_error(swapped)
    assert "thinks before it answers" in connection_error(lm_studio(answers, type="reasoning"))
    assert "thinks before it answers" in connection_error(chatting(lambda text: {"<think>": 0.9, "Yes": 0.05}))
    thoughtful = ollama(answers)
    spoken = thoughtful["/api/chat"]
    thoughtful["/api/chat"] = lambda body: spoken(body) | {"message": {"content": "", "thinking": "Okay,"}}
    assert "thinks before it answers" in connection_error(thoughtful)
    empty = lm_studio(answers)
    empty["/v1/responses"] = lambda body: {"output": [{"type": "message", "content": [{"logprobs": []}]}]}
    assert "returns no log-probabilities for gemma" in connection_error(empty)
    careless = ollama(lambda text: answers(" ".join(text.split()[:99])))
    whole = careless["/api/chat"]
    careless["/api/chat"] = lambda body: whole(body | {"truncate": True}) | {"prompt_eval_count": 4096}
    assert "silently truncates prompts of 4,480 words" in connection_error(careless)
    refusing = chatting(answers)

    def refuse(body):
        raise ErrorAnswer(400, {"error": {"message": "logprobs are not supported by reasoning models"}})

    refusing["/v1/chat/completions"] = refuse
    assert "does not return log-probabilities for llama3" in connection_error(refusing)
    assert "lists no models at /v1/models" in connection_error({"/v1/models": lambda body: {"hello": 1}})
    two = {"/v1/models": lambda body: {"data": [{"id": "a"}, {"id": "b"}]}}
    assert "Name one of these after #: a, b." in connection_error(two)
    assert servers.load_servers() == []


def test_doubtful_results_are_reported():
    count = itertools.count()

    def tell(text):
        share = 0.5 + 0.01 * next(count) if "is: Yes" in text else 0.4
        return {"Yes": share, "No": 0.9 - share, "A": 0.05}

    with serving(chatting(tell)) as (address, _):
        note = connect(address).note
    assert "hardly follows instructions" in note and "Two scores for the same question differ by" in note
    assert "It returns the 3 likeliest answers instead of 20" in note


def test_a_local_model_with_a_different_tokenizer_is_used_through_the_chat(folders, templates):
    own = CausalJudge.load(find_model(str(folders("qwen2"))), "cpu", "float32")
    routes = by_ids(own, str(folders("qwen2")), "vllm") | {"/tokenize": lambda body: {"tokens": [1, 2, 3]}}
    routes["/v1/chat/completions"] = chatting(answers)["/v1/chat/completions"]
    with serving(routes) as (address, _):
        result = connect(address)
    assert result.engine == "chat" and "differs from the one on 127.0.0.1" in result.note


def test_a_truncated_prompt_gives_no_score(folders, templates):
    folder = folders("qwen2")
    own = CausalJudge.load(find_model(str(folder)), "cpu", "float32")
    routes = by_ids(own, str(folder), "vllm")
    whole = routes["/v1/completions"]
    with serving(routes) as (address, _):
        connect(address)
        routes["/v1/completions"] = lambda body: whole(body) | {"usage": {"prompt_tokens": 7}}
        with pytest.raises(ModelError, match="read 7 of a prompt's"):
            judged(address, templates["DIRECT"])


def test_a_busy_server_is_retried_and_answered_requests_are_not_repeated(templates):
    routes = chatting(answers)
    real, failures = routes["/v1/chat/completions"], [ErrorAnswer(429, headers={"Retry-After": "0"}), ErrorAnswer(503)]

    def sometimes(body):
        if failures and not probed(body):
            raise failures.pop()
        return real(body)

    with serving(routes) as (address, asked):
        connect(address)
        routes["/v1/chat/completions"] = sometimes
        del asked[:]
        result = judged(address, templates["DIRECT"])
    assert [round(one.score, 3) for one in result] == [round(math.log(3.5), 3)] * 4
    assert sum(path == "/v1/chat/completions" and not probed(body) for path, body, _ in asked) == 4 + 2


def test_a_failing_server_costs_no_score_and_answered_requests_are_not_repeated(templates, tmp_path):
    routes, together = chatting(answers), threading.Barrier(len(SOURCES))
    real = routes["/v1/chat/completions"]

    def fails_for_one(body):
        if probed(body):
            return real(body)
        together.wait()  # all requests are in progress when one fails
        if "rain" in body["messages"][-1]["content"]:
            raise ErrorAnswer(400, {"error": {"message": "no"}})
        return real(body)

    corpus = Corpus("c", source=SOURCES, hypothesis=HYPOTHESES, id=list("1234"))
    with serving(routes) as (address, asked):
        connect(address)

        def run():
            del asked[:]
            scorer = LocalScorer((tmp_path / "store.sqlite",))
            table, errors = scorer.score(corpus, ScoringPlan.from_judge(JudgeSettings(address), (templates["DIRECT"],)))
            return (
                table.count_scores("pluie.direct"),
                [str(error) for error in errors],
                len([1 for _, body, _ in asked if body and not probed(body)]),
            )

        routes["/v1/chat/completions"] = fails_for_one
        scored, [sentence], requests = run()
        assert (scored, requests) == (3, 4) and "refuses the request" in sentence
        routes["/v1/chat/completions"] = real
        assert run() == (4, [], 1)


def test_requests_are_counted_and_priced_as_the_user_states(templates, capsys):
    corpus = Corpus("c", source=SOURCES, hypothesis=HYPOTHESES, id=list("1234"))
    with serving(chatting(answers)) as (address, asked):
        connect(address, prices=(2.0, 10.0))
        connect(address)
        del asked[:]
        _, errors = LocalScorer().score(corpus, ScoringPlan.from_judge(JudgeSettings(address), (templates["DIRECT"],)))
    read = sum(len(body["messages"][-1]["content"].split()) + 5 for _, body, _ in asked if body and not probed(body))
    cost = (2 * read + 10 * 4) / 1e6
    assert not errors
    assert (
        f": 4 requests, {read} tokens read, 4 written, {cost:.4f} at the prices that you entered"
        in capsys.readouterr().err
    )


def test_a_server_that_is_gone_or_changed_is_reported(templates):
    routes = chatting(answers)
    with serving(routes) as (address, _):
        connect(address)
        routes["/v1/models"] = lambda body: {"data": [{"id": "llama3", "root": "other"}]}
        with pytest.raises(ModelError, match="runs a different model or version"):
            judged(address, templates["DIRECT"])
    with pytest.raises(ModelError, match="No answer from 127"):
        ServerConnection(address, waits=()).get("/v1/models")


def test_a_dropped_connection_gives_a_plain_sentence():
    class HangsUp(QuietHandler):
        def do_GET(self):
            self.close_connection = True

    with listening(HangsUp) as address, pytest.raises(ModelError) as error:
        ServerConnection(address, waits=()).get("/v1/models")
    assert "(Remote end closed connection without response). Check the address" in str(error.value)


def test_addresses_are_normalised():
    assert servers.normalise_address("HTTP://LocalHost:80/v1/#a/b") == "http://localhost:80#a/b"
    assert servers.normalise_address("localhost:8080#a") == "http://localhost:8080#a"
    assert servers.normalise_address("10.0.0.7:8000/v1") == "http://10.0.0.7:8000"
    assert servers.normalise_address("api.example.org/v1") == "https://api.example.org"
    with pytest.raises(ModelError, match="You are not connected to the server localhost:9 yet"):
        find_model("localhost:9")
    assert sources.is_this_computer("http://127.0.0.1:8") and not sources.is_this_computer("https://127.example.org")
    for wrong in ("http://", "http://a:b", "http://me:secret@host", "the parcel weighs 3 kg"):
        with pytest.raises(ModelError) as error:
            servers.normalise_address(wrong)
        assert "secret" not in str(error.value)
    with pytest.raises(ModelError, match="parapluie models connect http"):
        find_model("http://127.0.0.1:9")
    assert find_kind("http://127.0.0.1:9") == "causal"


def test_a_key_is_stored_in_the_keyring_and_nowhere_else(templates, tmp_path, monkeypatch, capsys):
    keyring = pytest.importorskip("keyring")
    kept: dict[tuple[str, str], str] = {}

    class Memory(keyring.backend.KeyringBackend):
        priority = 1

        def set_password(self, service, username, password):
            kept[service, username] = password

        def get_password(self, service, username):
            return kept.get((service, username))

    monkeypatch.setattr("keyring.core._keyring_backend", Memory())
    with serving(chatting(answers)) as (address, asked):
        result = connect(address, "s3cret")
        session = tmp_path / "pairs.parapluie"
        corpus = Corpus("c", source=SOURCES, hypothesis=HYPOTHESES, id=list("1234"))
        plan = ScoringPlan.from_judge(JudgeSettings(address), (templates["DIRECT"],))
        table, _ = LocalScorer((session,)).score(corpus, plan)
        write_table(tmp_path / "out.csv", corpus, table)
        assert f"s per pair on the server {address} (4 pairs)" in table.signatures["pluie.direct"].cost
        assert table.count_scores("pluie.direct") == 4 and "s3cret" not in "".join(capsys.readouterr())
        assert not any(b"s3cret" in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
        assert result.key and kept == {("parapluie", address): "s3cret"}
        assert {key for *_, key in asked} == {"Bearer s3cret"}
        assert servers.records_file().is_relative_to(tmp_path) and "s3cret" not in repr(find_model(address))

    def refuse(body):
        raise ErrorAnswer(401)

    with serving(dict.fromkeys(chatting(answers), refuse)) as (address, _):
        with pytest.raises(ModelError, match="requires a key, or does not accept this one"):
            connect(address, "wr0ng")
        assert "wr0ng" not in kept.values()
    monkeypatch.setitem(__import__("sys").modules, "keyring", None)
    with (
        serving(chatting(answers)) as (address, _),
        pytest.raises(ModelError, match=r"pip install 'parapluie_gui\[servers\]'"),
    ):
        connect(address, "s3cret")
    closed = dict.fromkeys(chatting(answers), refuse)
    with serving(closed) as (address, _), pytest.raises(ModelError, match="requires a key"):
        connect(address)
