"""Servers that would exhaust memory, never finish, or change their model: each gives one sentence, without a wait."""

from __future__ import annotations

import copy
import gzip
import json
import math
import random
import re
import threading
import time
import zlib
from functools import partial
from urllib.parse import quote, unquote

import pytest
from http_server import QuietHandler, listening
from model_servers import ErrorAnswer, by_ids, chatting, lm_studio, ollama, serving
from waiting import in_time

from parapluie_gui.errors import ModelError
from parapluie_gui.features.servers import connecting, connection
from parapluie_gui.features.servers import record as servers
from parapluie_gui.features.servers.connecting import connect
from parapluie_gui.features.servers.connection import ServerConnection
from parapluie_gui.features.servers.conversation import FirstToken
from parapluie_gui.models.catalogue import find_model
from parapluie_gui.pairs import Corpus
from parapluie_gui.pluie.causal import CausalJudge
from parapluie_gui.pluie.judge import judge_class
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.work.local import LocalScorer
from parapluie_gui.work.scoring_plan import ScoringPlan

SOURCES = ["The cat sat down.", "It rained.", "He left early.", "Yes."]
HYPOTHESES = ["A dog.", "There was rain.", "He stayed.", "No."]


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    monkeypatch.setenv("PARAPLUIE_HOME", str(tmp_path / "home"))
    monkeypatch.setattr(connection, "WAITS", (0.01, 0.01))


def answering(write, **headers):
    """Return a handler that answers every request with these headers and lets `write` send the body."""

    class Handler(QuietHandler):
        protocol_version = "HTTP/1.1"

        def answer(self):
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            self.send_response(200)
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()
            try:
                write(self.wfile)
            except OSError:  # the client has disconnected
                self.close_connection = True

        do_GET = do_POST = answer

    return Handler


def sending(data, **headers):
    return answering(lambda file: file.write(data), Content_Length=str(len(data)), **headers)


def dripping(ended):
    """Return a handler that sends a character every 20 ms without end; `ended` is set once nobody reads it."""

    def drip(file):
        try:
            while True:
                file.write(b"1\r\n \r\n")
                file.flush()
                time.sleep(0.02)
        finally:
            ended.set()

    return answering(drip, Transfer_Encoding="chunked")


def refusal(handler, path="/v1/models"):
    with listening(handler) as address, pytest.raises(ModelError) as error:
        ServerConnection(address, waits=()).get(path)
    return str(error.value)


def test_an_endless_answer_is_read_up_to_a_limit():
    sent = 0

    def pour(file):
        nonlocal sent
        while sent < 200_000_000:
            sent += file.write(b" " * 1_000_000)

    assert "more than 8 MB" in refusal(answering(pour))
    assert sent < 40_000_000
    assert "more than 8 MB" in refusal(answering(lambda file: None, Content_Length=str(10**10)))


def test_a_decompressed_answer_has_the_same_limit():
    spaces = zlib.compressobj(wbits=31)
    bomb = b"".join(spaces.compress(b" " * 1_000_000) for _ in range(100)) + spaces.flush()
    assert "more than 8 MB" in refusal(sending(bomb, Content_Encoding="gzip"))
    assert "compresses its answers with zstd" in refusal(sending(b"{}", Content_Encoding="zstd"))
    assert "cannot be decompressed" in refusal(sending(b"{}", Content_Encoding="gzip"))
    with listening(sending(gzip.compress(b'{"a": 1}'), Content_Encoding="gzip")) as address:
        assert ServerConnection(address).get("/") == {"a": 1}
    with listening(sending(zlib.compress(b'{"a": 1}'), Content_Encoding="deflate")) as address:
        assert ServerConnection(address).get("/") == {"a": 1}


@pytest.mark.parametrize("begin, end", [("[", "]"), ('{"error":', "}"), ('[{"a":', "}]")])
@pytest.mark.parametrize("depth", [400, 100_000])
def test_deeply_nested_json_gives_one_sentence(begin, end, depth):
    assert "with JSON" in refusal(sending(f"{begin * depth}1{end * depth}".encode()))


def test_a_dripping_answer_has_a_deadline(monkeypatch):
    monkeypatch.setattr(connection, "LOOKING", 0.4, raising=False)
    ended, started = threading.Event(), time.monotonic()
    assert "did not answer /v1/models within" in refusal(dripping(ended))
    assert time.monotonic() - started < in_time(1.5)
    assert ended.wait(in_time(2)), "the answer is still being read"


def test_a_repeated_answer_is_not_taken_for_the_answer_to_the_next_request():
    class Twice(QuietHandler):
        protocol_version = "HTTP/1.1"
        before: list[bytes] = []

        def do_GET(self):
            body = json.dumps(self.path).encode()
            answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
            self.wfile.write(b"".join(self.before) + answer)  # the earlier answer arrives again, late
            self.before = [answer]

    with listening(Twice) as address:
        connection = ServerConnection(address)
        assert [connection.get(f"/{number}") for number in range(4)] == ["/0", "/1", "/2", "/3"]


def test_the_reason_for_waiting_is_shown(monkeypatch):
    monkeypatch.setattr(connection, "SILENCE", 0.1, raising=False)
    said = []

    def slow(body):
        time.sleep(0.3)
        return {}

    with serving({"/v1/models": slow}) as (address, _):
        found = ServerConnection(address, say=said.append)
        found.get("/v1/models")
        found.get("/v1/models")
    assert said == [f"Still waiting for {found.host} …"] * 2


@pytest.mark.parametrize("after", ["nan", "inf", "-7", "1e999", "Wed, 21 Oct 2015 07:28:00 GMT"])
def test_a_retry_after_time_is_finite(after, monkeypatch):
    monkeypatch.setattr(connection, "_LONGEST", 0.01)
    failures = [ErrorAnswer(429, headers={"Retry-After": after})]

    def sometimes(body):
        if failures:
            raise failures.pop()
        return {"data": []}

    with serving({"/v1/models": sometimes}) as (address, _):
        assert ServerConnection(address).get("/v1/models") == {"data": []}


ODD = (
    None,
    True,
    -1,
    10**400,
    1e308,
    math.nan,
    math.inf,
    "",
    "x",
    "\ud800",
    "\x1b[31m",
    [],
    {},
    [[]],
    [None],
    {"a": 1},
)


def harmed(found, rng):
    """Return an answer with parts that are invalid, missing or repeated."""
    box = [copy.deepcopy(found)]
    for _ in range(rng.choice((1, 1, 2, 4))):
        places = [(box, 0)]
        for holder, key in places:  # grows while being sent
            inner = holder[key]
            places += [(inner, each) for each in (inner if isinstance(inner, dict) else range(len(inner)))] * (
                isinstance(inner, (dict, list))
            )
        holder, key = rng.choice(places)
        match rng.randrange(4):
            case 0 if isinstance(holder, dict):
                del holder[key]
            case 1 if isinstance(holder, list) and holder is not box:
                holder.append(copy.deepcopy(holder[key]))
            case _:
                holder[key] = rng.choice(ODD)
    return box[0]


@pytest.mark.parametrize("kind", ["chat", "ollama", "lm_studio", "vllm", "sglang"])
def test_an_answer_of_any_form_is_a_score_none_or_a_sentence(kind, templates, folders):
    if kind in ("vllm", "sglang"):
        folder = folders("qwen2")
        routes = by_ids(CausalJudge.load(find_model(str(folder)), "cpu", "float32"), str(folder), kind)
    else:
        routes = {"chat": chatting, "ollama": ollama, "lm_studio": lm_studio}[kind](answers)
    rng, share = random.Random(7), 0.0
    rounds = 3 if kind in ("vllm", "sglang") else 8
    result, sentences = [], []

    def harming(route):
        return lambda body: harmed(route(body), rng) if rng.random() < share else route(body)

    def score(judge, template):
        result.extend(each for part in judge.scorer(template).score(SOURCES, HYPOTHESES) for each in part)

    with serving({path: harming(route) for path, route in routes.items()}) as (address, _):
        for number in range(rounds):
            share = 0.0
            connect(address)
            files = find_model(address)
            judge = judge_class(files).load(files)
            share = (0.3, 1.0)[number % 2]
            for act in (
                partial(connect, address),
                partial(judge_class(files).load, files),
                partial(score, judge, templates["DIRECT"]),
                partial(score, judge, templates["INDIRECT"]),
            ):
                try:
                    act()
                except ModelError as error:
                    sentences.append(str(error))
    assert all(math.isnan(one.score) or math.isfinite(one.score) for one in result)
    assert result and len(sentences) > rounds
    assert all(sentence.isprintable() for sentence in sentences)


def engine_threads():
    return [each.name for each in threading.enumerate() if each.name.startswith("engine")]


def answers(text):
    if "Answer with one word" in text:
        return {"Yes": 0.9, "No": 0.05} if "is: Yes." in text else {"No": 0.9, "Yes": 0.05}
    return {"Yes": 0.7, "No": 0.2, "The": 0.05}


def opposite_answers(text):
    """Answers like a different model: valid, but with opposite opinions of pairs."""
    if "Answer with one word" in text:
        return {"Yes": 0.8, "No": 0.01} if "is: Yes." in text else {"No": 0.8, "Yes": 0.01}
    return {"No": 0.7, "Yes": 0.2, "The": 0.05}


def test_cancelled_work_waits_for_no_answer(templates):
    routes, stop, dripped = chatting(answers), threading.Event(), threading.Event()
    real = routes["/v1/chat/completions"]

    def never(body):
        if "Answer with one word" in body["messages"][-1]["content"]:
            return real(body)
        dripped.set()
        stop.wait(20)
        return real(body)

    routes["/v1/chat/completions"] = never

    def check():
        if dripped.is_set():
            raise KeyboardInterrupt

    with serving(routes) as (address, _):
        connect(address)
        files = find_model(address)
        scorer = judge_class(files).load(files, check=lambda: None).scorer(templates["DIRECT"])
        scorer._check = check
        started = time.monotonic()
        with pytest.raises(KeyboardInterrupt):
            list(scorer.score(SOURCES, HYPOTHESES))
        while engine_threads() and time.monotonic() - started < in_time(3):
            time.sleep(0.02)
        stop.set()
        assert not engine_threads(), "the program would wait for these threads at its end"
        assert time.monotonic() - started < in_time(2)


def scored(address, template, store):
    """Return the scores of four pairs, stored ones from the store, and the reason for missing scores."""
    corpus = Corpus("c", source=SOURCES, hypothesis=HYPOTHESES, id=list("1234"))
    plan = ScoringPlan.from_judge(JudgeSettings(address), (template,))
    table, errors = LocalScorer((store,), quiet=True).score(corpus, plan)
    return table["pluie.direct"].round(3).tolist(), [str(error) for error in errors], table.signatures["pluie.direct"]


def test_two_servers_of_the_same_name_share_no_scores(templates, tmp_path):
    store = tmp_path / "store.sqlite"
    with serving(chatting(answers)) as (one, _), serving(chatting(opposite_answers)) as (two, _):
        connect(one)
        connect(two)
        first, errors, signature = scored(one, templates["DIRECT"], store)
        assert first == [round(math.log(3.5), 3)] * 4 and not errors
        second, errors, other = scored(two, templates["DIRECT"], store)
        assert second == [round(-math.log(3.5), 3)] * 4 and not errors
    assert dict(signature.fields)["server"] == one and dict(other.fields)["server"] == two


def test_a_changed_model_under_the_same_name_is_detected_and_its_scores_are_kept_separate(templates, tmp_path):
    store, routes = tmp_path / "store.sqlite", chatting(answers)
    with serving(routes) as (address, asked):
        connect(address)
        _, errors, before = scored(address, templates["DIRECT"], store)
        assert not errors
        connect(address)  # nothing changed, so its scores are reused
        del asked[:]
        _, errors, again = scored(address, templates["DIRECT"], store)
        assert not errors and again == before and not asked
        routes["/v1/chat/completions"] = chatting(opposite_answers)["/v1/chat/completions"]
        _, [sentence], _ = scored(
            address, templates["CONFIRM"] if "CONFIRM" in templates else templates["DIRECT"], tmp_path / "empty.sqlite"
        )
        assert "runs a different model or version" in sentence
        connect(address)
        result, errors, after = scored(address, templates["DIRECT"], store)
        assert result == [round(-math.log(3.5), 3)] * 4 and not errors and after != before


def test_an_answer_naming_a_different_model_ends_the_work(templates, tmp_path):
    routes = chatting(answers)
    real, name = routes["/v1/chat/completions"], "llama3-2024"
    routes["/v1/chat/completions"] = lambda body: real(body) | {"model": name}
    with serving(routes) as (address, _):
        connect(address)
        _, errors, _ = scored(address, templates["DIRECT"], tmp_path / "one.sqlite")
        assert not errors
        name = "llama3-2025"
        _, [sentence], _ = scored(address, templates["DIRECT"], tmp_path / "two.sqlite")
        assert "runs a different model or version" in sentence
        connect(address)
        routes["/v1/chat/completions"] = lambda body: (
            real(body) | {"model": name if "Answer" in body["messages"][-1]["content"] else "gpt-x"}
        )
        _, [sentence], _ = scored(address, templates["DIRECT"], tmp_path / "three.sqlite")
        assert "answers as gpt-x" in sentence and "as llama3-2025" in sentence


def test_a_record_without_a_probe_must_be_created_again(templates, tmp_path):
    with serving(chatting(answers)) as (address, _):
        connect(address)
        path = servers.records_file()
        [record] = json.loads(path.read_text("utf-8"))
        for name in ("probe", "noise", "answers"):
            record.pop(name, None)
        path.write_text(json.dumps([record]), "utf-8")
        assert servers.find_server(address) is not None
        _, [sentence], _ = scored(address, templates["DIRECT"], tmp_path / "store.sqlite")
        assert f"parapluie models connect {address}" in sentence and "earlier version" in sentence
        connect(address)
        assert not scored(address, templates["DIRECT"], tmp_path / "store.sqlite")[1]


def test_a_key_repeated_by_a_server_is_not_shown():
    def refuse(body):
        raise ErrorAnswer(400, {"error": {"message": "sk-secret-31415 is no key of ours"}})

    with serving({"/v1/models": refuse}) as (address, asked), pytest.raises(ModelError) as error:
        ServerConnection(address, "sk-secret-31415", waits=()).get("/v1/models")
    assert asked[0][2] == "Bearer sk-secret-31415"
    assert "(key) is no key of ours" in str(error.value) and "sk-secret" not in str(error.value)


KEY = "sk-AbC/dEf+123==ghij"

#: A key as servers may write it in JSON.
REPEATED = {
    "as it is": KEY,
    "slashes of PHP": KEY.replace("/", "\\/"),
    "escapes of JSON": "".join(f"\\u{ord(letter):04x}" for letter in KEY),
    "percent": quote(KEY, safe=""),
    "percent, twice": quote(quote(KEY, safe=""), safe=""),
    "HTML": KEY.replace("/", "&#x2F;").replace("+", "&#43;"),
    "upper case": KEY.upper(),
    "two pieces": f"{KEY[:10]} and {KEY[10:]}",
    "JSON within JSON": json.dumps(json.dumps({"a": KEY.replace("/", "\\u002f")}))[1:-1],
}


class RawServer(QuietHandler):
    """Answers with a text that `json.dumps` cannot produce."""

    status, body = 400, ""

    def do_GET(self):
        data = self.body.encode()
        self.send_response(self.status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@pytest.mark.parametrize("form", REPEATED)
@pytest.mark.parametrize("status", [400, 200])
def test_a_key_is_removed_from_values_after_decoding(form, status):
    text = f'{{"error": {{"message": "bad key {REPEATED[form]}"}}}}'
    server = type("Server", (RawServer,), {"status": status, "body": text})
    with listening(server) as address:
        try:
            said = json.dumps(ServerConnection(address, KEY, waits=()).get("/v1/models"))
        except ModelError as error:
            said = str(error)
    assert "(key)" in said
    letters = unquote(unquote(said)).lower()
    assert not any(KEY[start : start + 8].lower() in letters for start in range(len(KEY) - 7))


def test_a_model_named_like_the_key_is_refused(monkeypatch):
    monkeypatch.setattr(connecting, "store_key", lambda address, key: None)
    routes = chatting(answers) | {"/v1/models": lambda body: {"data": [{"id": f"gpt {KEY}"}]}}
    refused = pytest.raises(ModelError, match="names its model after your key")
    with serving(routes) as (address, _), refused:
        connect(address, KEY)
    assert not servers.records_file().exists()


def test_a_placeholder_word_instead_of_a_key_stays_in_answers():
    with serving({"/v1/models": lambda body: {"data": [{"id": "EMPTY"}]}}) as (address, _):
        assert ServerConnection(address, "EMPTY", waits=()).get("/v1/models")["data"][0]["id"] == "EMPTY"


def test_a_key_is_valid_for_one_scheme_host_and_port(monkeypatch):
    kept = {}

    def keyring(act, host, key=""):
        if act == "set_password":
            kept[host] = key
        return kept.get(host)

    monkeypatch.setattr(servers, "_keyring", keyring)
    assert servers.read_key("https://api.example.org#m") == ""
    servers.store_key("https://api.example.org#m", "new")
    assert kept["https://api.example.org:443"] == "new"
    assert servers.read_key("https://API.example.org/v1") == "new"
    assert servers.read_key("http://api.example.org") == servers.read_key("http://api.example.org:443") == ""
    assert servers.read_key("https://api.example.org:8443") == ""


@pytest.mark.parametrize(
    "answer",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n{}",
        b'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{"a": {"b": 1}}\r\n',
        b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 452\r\n\r\n{}",
        b"(HTTP/1.1 200 OK\r\n\r\n",
        b"HTTP/1.1 2}} [x\r\n\r\n",
        b"",
    ],
)
def test_messages_contain_no_fragments_of_library_errors(answer):
    class Broken(QuietHandler):
        def handle(self):
            self.rfile.readline()
            self.wfile.write(answer)

    with listening(Broken) as address, pytest.raises(ModelError) as error:
        ServerConnection(address, waits=()).get("/v1/models")
    cause = re.search(r"No answer from \S+ \((.*)\)\. Check", str(error.value))
    assert cause, error.value
    assert not re.search(r"[(){}<]|0x", cause[1]), cause[1]


def test_probabilities_of_tokens_with_the_same_text_are_added():
    likeliest = [{"token": "Yes", "logprob": math.log(p)} for p in (0.4, 0.3)] + [{"token": "No", "logprob": -3}]
    first = FirstToken.from_answer(likeliest, 1)
    assert first.chances["Yes"] == pytest.approx(0.7) and list(first.chances) == ["Yes", "No"]
