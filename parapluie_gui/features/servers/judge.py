"""A judge that runs on a server: which engine it is asked through, and what is checked before it is."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, Unpack

from parapluie_gui.errors import ModelError
from parapluie_gui.features.servers.bounds import bounded, nothing_told
from parapluie_gui.features.servers.connection import Connection, dig, dig_list
from parapluie_gui.features.servers.conversation import Chat, Conversation, LmStudio, TooLong
from parapluie_gui.features.servers.engine import Engine
from parapluie_gui.features.servers.fingerprint import PROBE, agree, digest_of, taken
from parapluie_gui.features.servers.flow import RequestScorer
from parapluie_gui.features.servers.llamacpp import LlamaCpp, way_of_asking
from parapluie_gui.features.servers.ollama import Ollama, OllamaChat, listed, tokenizer_of
from parapluie_gui.features.servers.openai import Sglang, Vllm, model_entry
from parapluie_gui.features.servers.record import (
    BY_CONVERSATION,
    CHAT,
    LLAMACPP,
    LMSTUDIO,
    OLLAMA,
    OLLAMA_RAW,
    SGLANG,
    VLLM,
    Server,
    stored_key,
)
from parapluie_gui.features.servers.scorer import ServedScorer
from parapluie_gui.features.servers.tokenizer import ServerRenderer
from parapluie_gui.models.catalogue import ModelFiles, find_model
from parapluie_gui.packages import require
from parapluie_gui.pluie.cost import Spending
from parapluie_gui.pluie.evidence import SHOWN, AnswerTokens, Evidence
from parapluie_gui.pluie.judge import Guard, Judge, Scored, Scorer, ScorerOptions, pluie_signature
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.prompt import EXPLANATION_MARK, PromptFrame, without_columns
from parapluie_gui.pluie.rendering import Renderer
from parapluie_gui.pluie.templates import Template
from parapluie_gui.scores.signature import Signature


@dataclass(frozen=True)
class _Pair:
    row: int


class ChatScorer(RequestScorer[_Pair]):
    """Scores pairs under one conversation, sent as such: the server renders and tokenises it.

    A score is exact where both answers are among the tokens that are told. Where one is not, its probability is at most
    that of the least likely token told, and the score a bound; `p_yes` or `p_no` is NaN then.
    """

    def __init__(
        self,
        engine: Conversation,
        template: Template,
        signature: Signature,
        check: Callable[[], None],
        *,
        exact: bool = False,
        batch_tokens: int = 0,
        warn: Callable[[str], None] = lambda text: None,
        guard: Guard = lambda work: work(),
    ) -> None:
        super().__init__(check, 1 if exact else engine.at_once, engine.drop, guard)
        self.template, self.signature = template, signature
        self._engine, self._warn = engine, warn
        self._draw = template.drawer()

    @property
    def frame(self) -> PromptFrame:
        """The conversation as it is sent, with marks where the sentences go."""
        lines = [
            f"{turn.role}: {EXPLANATION_MARK if turn.generate else self.template.marked(turn)}\n"
            for turn in self.template.turns
        ]
        return PromptFrame("".join(lines), columns=self.template.columns)

    @property
    def answer_tokens(self) -> AnswerTokens:
        """The answers as they are looked for among the tokens that are told."""
        return tuple(tuple((text, (text,)) for text in side) for side in self.template.spellings)

    def _items(self, rows: list[int], sources: Sequence[str], hypotheses: Sequence[str]) -> list[_Pair]:
        return [_Pair(row) for row in rows]

    def _ask(self, item: _Pair, source: str, hypothesis: str) -> Scored:
        examples = self._draw(without_columns(source), hypothesis) if self._draw is not None else None
        messages: list[dict[str, str]] = []
        explanation = None
        for turn in self.template.turns:
            if turn.generate:
                explanation = self._engine.write(messages, turn.max_new_tokens)
                text = explanation
            else:
                # In one pass, so that {hypothesis} in a source stays what it is.
                frame = PromptFrame(self.template.marked(turn), columns=self.template.columns)
                text = frame.fill(source, hypothesis, examples=examples or "")[0]
            messages.append({"role": turn.role, "content": text})
        try:
            told = self._engine.first(messages)
        except TooLong:
            self._warn(f"{self.template.name}: pairs longer than the server's context get no score.")
            return Scored(item.row, math.nan, Evidence(math.nan, math.nan, examples=examples), asked=False)
        yes, no = (told.bounds(side) for side in self.template.spellings)
        score, p_yes, p_no = bounded(yes, no)
        if math.isnan(score):
            self._warn(nothing_told(self.template, len(told.chances)))
        top = tuple(told.chances.items())[:SHOWN]
        evidence = Evidence(p_yes, p_no, top, told.prompt, explanation, examples=examples)
        return Scored(item.row, score, evidence, asked=not math.isnan(score))


#: Of a tokenizer here and the one of the server: what both make the same of.
_SAMPLE = "“It rained in 1998.” — ça va, 漢字? It's   fine."


class ServedJudge(Judge):
    """A model on a server; made by `load` from what connecting found out."""

    needs_pytorch = False

    def __init__(
        self,
        files: ModelFiles,
        engine: Engine | Conversation,
        renderer: Renderer | None,
        check: Callable[[], None],
        connection: Connection,
    ) -> None:
        self.files = files
        self._connection = connection
        self._engine, self._renderer, self._check = engine, renderer, check

    @classmethod
    def may_load(cls, files: ModelFiles, device: str = "auto", precision: str = "auto") -> bool:
        """Return True for a server."""
        return files.remote is not None and isinstance(files.remote.record, Server)

    @classmethod
    def load(
        cls,
        files: ModelFiles,
        device: str = "auto",
        precision: str = "auto",
        check: Callable[[], None] = lambda: None,
        say: Callable[[str], None] = lambda text: None,
    ) -> Self:
        """Ask the server whether it is still the one that the user connected to; see `Judge.load`."""
        server = _server(files)
        key = stored_key(server.address) if server.key else ""
        connection = Connection(server.base, key, say=say)
        opened = open_engine(connection, server.engine, server.model)
        _check_same(server, opened, connection)
        return cls(files, opened.engine, opened.renderer, check, connection)

    @classmethod
    def signature(cls, files: ModelFiles, template: Template, settings: JudgeSettings) -> Signature:
        """Return the signature that its scores will have; see `Judge.signature`."""
        return pluie_signature(files, template, _way(_server(files), settings.exact), exact=settings.exact)

    @classmethod
    def computation(cls, files: ModelFiles) -> str:
        """Return "the server http://127.0.0.1:8080"; see `Judge.computation`."""
        return f"the server {_server(files).base}"

    def describe(self, *, exact: bool = False) -> str:
        """Return a line such as "Qwen3-0.6B (vLLM): on 127.0.0.1:8000, asked by token ids"."""
        server = _server(self.files)
        asked = "by the conversation" if server.engine in BY_CONVERSATION else "by token ids"
        if server.engine == OLLAMA_RAW:
            asked = "by the text of the prompt"
        return f"{self.files.name}: on {server.base.partition('//')[2]}, asked {asked}"

    def spending(self) -> Spending:
        """Return what was asked of the server since it was loaded; see `Judge.spending`."""
        return replace(self._connection.counter.total, prices=_server(self.files).prices)

    def scorer(self, template: Template, **options: Unpack[ScorerOptions]) -> Scorer:
        """Return what scores pairs under a conversation; see `Judge.scorer`."""
        self._connection.say = options.get("warn", self._connection.say)
        exact = options.get("exact", False)
        signature = pluie_signature(self.files, template, _way(_server(self.files), exact), exact=exact)
        return scorer_of(self._engine, self._renderer, template, signature, self._check, options)


def scorer_of(
    engine: Engine | Conversation,
    renderer: Renderer | None,
    template: Template,
    signature: Signature,
    check: Callable[[], None],
    options: ScorerOptions,
) -> Scorer:
    """Return what scores pairs by an engine."""
    if isinstance(engine, Conversation):
        return ChatScorer(engine, template, signature, check, **options)
    assert renderer is not None
    return ServedScorer(engine, renderer, template, signature, check, **options)


def _server(files: ModelFiles) -> Server:
    assert files.remote is not None and isinstance(files.remote.record, Server)
    return files.remote.record


def _way(server: Server, exact: bool) -> str:
    """Return what scores depend on in place of a floating-point type: the engine, and how it is asked."""
    if server.engine == LLAMACPP:
        return way_of_asking(exact)
    return "conversation" if server.engine in BY_CONVERSATION else server.engine


@dataclass(frozen=True)
class Opened:
    """What a server is asked through.

    Attributes:
        renderer: What renders prompts; None where the server does.
        facts: What tells its model from others, as far as the server says; a digest.
        told: Whether that is a digest of the model's files. Otherwise another model may have the same facts.
    """

    engine: Engine | Conversation
    renderer: Renderer | None
    facts: str
    told: bool = False

    def probe(self) -> Scorer:
        """Return what scores the questions of PROBE."""
        return scorer_of(self.engine, self.renderer, PROBE, Signature.of("probe", {}), lambda: None, {"exact": True})


def _check_same(server: Server, opened: Opened, connection: Connection) -> None:
    """Raise a ModelError unless a server runs what it ran when the user connected to it, as far as it shows."""
    again = f"Connect again (`parapluie models connect {server.address}`), so that scores of the two are not mixed."
    same = server.revision.partition("-")[0] == opened.facts
    if same and not opened.told:
        if not server.probe:
            raise ModelError(
                f"{connection.host} was connected to with an earlier version of this program, which did not look at "
                f"what its model answers. Connect again (`parapluie models connect {server.address}`)."
            )
        same = agree(taken(opened.probe()), server.probe, server.noise)
        same = same and answering_as(connection) in (server.answers, "")
    if not same:
        raise ModelError(f"{connection.host} runs another model or version than when you connected to it. {again}")


def answering_as(connection: Connection) -> str:
    """Return the names of the models that answered so far, as one text."""
    return " ".join(sorted(set(connection.named.values())))


def open_engine(connection: Connection, kind: str, model: str) -> Opened:
    """Return what a server is asked through.

    Raises:
        ModelError: The server is not of this kind or has no such model.
    """
    if kind == LLAMACPP:
        server = LlamaCpp(connection)
        facts = digest_of(server.model, server.file_type, sorted(server.facts.items()))
        return Opened(server, ServerRenderer(server), facts)
    entry = model_entry(connection, model)
    facts = digest_of([entry.get(name) for name in ("id", "root", "max_model_len")])
    name = str(entry["id"])
    if kind in (OLLAMA, OLLAMA_RAW):
        files = listed(connection, name)
        digest = digest_of(name, files)
        if kind == OLLAMA:
            return Opened(OllamaChat(connection, name), None, digest, bool(files))
        tokenizer = tokenizer_of(connection, name)
        return Opened(Ollama(connection, name, tokenizer, _SAMPLE), Renderer(tokenizer), digest, bool(files))
    if kind == LMSTUDIO:
        return Opened(LmStudio(connection, name), None, digest_of(name, lm_studio_facts(connection, name)))
    if kind == CHAT:
        return Opened(Chat(connection, name), None, facts)
    tokenizer = local_tokenizer(str(entry.get("root") or entry["id"]), str(entry["id"]))
    check_tokenizer(connection, tokenizer, str(entry["id"]))
    engine = {VLLM: Vllm, SGLANG: Sglang}[kind](connection, entry, tokenizer.decode)
    return Opened(engine, Renderer(tokenizer), facts)


def lm_studio_facts(connection: Connection, model: str) -> list[object]:
    """Return what identifies a model of LM Studio: its file's kind and size, and the context it is loaded with.

    An empty list if the server is not LM Studio.
    """
    for each in dig_list(connection.get("/api/v1/models"), "models"):
        names = [dig(each, "key"), *(dig(loaded, "id") for loaded in dig_list(each, "loaded_instances"))]
        if model in names:
            return [dig(each, "key"), dig(each, "quantization", "name"), dig(each, "size_bytes"), dig(each, "format")]
    return []


def local_tokenizer(*names: str) -> Any:
    """Return the tokenizer of a model that is on this computer, by the first of its names that is known here.

    Raises:
        ModelError: None of them is.
    """
    require("transformers", what="Asking by token ids")
    from transformers import AutoTokenizer

    for name in names:
        try:
            folder = find_model(name).folder
        except ModelError as error:
            missing = error
        else:
            return AutoTokenizer.from_pretrained(folder, local_files_only=True)
    raise missing


def check_tokenizer(connection: Connection, tokenizer: Any, model: str) -> None:
    """Raise a ModelError unless the server makes the same tokens of a text."""
    here = tokenizer(_SAMPLE, add_special_tokens=False)["input_ids"]
    body = {"model": model, "prompt": _SAMPLE, "add_special_tokens": False}
    answer = connection.post("/tokenize", body)
    there = answer.get("tokens", answer.get("input_ids")) if isinstance(answer, dict) else None
    if there != here:
        raise ModelError(f"The tokenizer of {model} here is not the one on {connection.host}. Fetch the model anew.")
