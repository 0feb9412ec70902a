"""Judges on servers: opening a connection by the right protocol, and checking that the model is the same."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, Unpack

from parapluie_gui.errors import ModelError
from parapluie_gui.features.servers.bounds import missing_answers_notice, score_from_ranges
from parapluie_gui.features.servers.connection import ServerConnection, dig, dig_list
from parapluie_gui.features.servers.conversation import ConversationServer, LmStudio, OpenAiChat, PromptTooLong
from parapluie_gui.features.servers.engine import TokenEngine
from parapluie_gui.features.servers.fingerprint import PROBE, fingerprints_agree, make_digest, take_fingerprint
from parapluie_gui.features.servers.flow import RequestScorer
from parapluie_gui.features.servers.llamacpp import LlamaCppEngine, llamacpp_mode
from parapluie_gui.features.servers.ollama import OllamaChat, OllamaEngine, load_ollama_tokenizer, model_digest
from parapluie_gui.features.servers.openai import SglangEngine, VllmEngine, model_entry
from parapluie_gui.features.servers.record import (
    BY_CONVERSATION,
    CHAT,
    LLAMACPP,
    LMSTUDIO,
    OLLAMA,
    OLLAMA_RAW,
    SGLANG,
    VLLM,
    ServerRecord,
    read_key,
)
from parapluie_gui.features.servers.scorer import ServedScorer
from parapluie_gui.features.servers.tokenizer import ServerRenderer
from parapluie_gui.models.catalogue import ModelFiles, find_model
from parapluie_gui.models.tokenizer import load_tokenizer
from parapluie_gui.packages import require
from parapluie_gui.pluie.cost import TokenUsage
from parapluie_gui.pluie.evidence import SHOWN, AnswerEvidence, AnswerTokens
from parapluie_gui.pluie.judge import BatchGuard, Judge, PairScore, ScorerOptions, TemplateScorer, pluie_signature
from parapluie_gui.pluie.judge_settings import JudgeSettings
from parapluie_gui.pluie.prompt import EXPLANATION_MARK, PromptFrame, drop_columns
from parapluie_gui.pluie.rendering import TemplateRenderer
from parapluie_gui.pluie.templates import Template
from parapluie_gui.scores.signature import Signature


@dataclass(frozen=True)
class _ChatItem:
    row: int


class ChatScorer(RequestScorer[_ChatItem]):
    """A scorer of pairs that sends conversations, which the server renders and tokenises.

    A score is exact if both answers are among the tokens that the server lists. If one is missing, its probability is
    at most that of the least likely listed token; the score is then a bound, and `p_yes` or `p_no` is NaN.
    """

    def __init__(
        self,
        engine: ConversationServer,
        template: Template,
        signature: Signature,
        check: Callable[[], None],
        *,
        exact: bool = False,
        batch_tokens: int = 0,
        warn: Callable[[str], None] = lambda text: None,
        guard: BatchGuard = lambda work: work(),
    ) -> None:
        super().__init__(check, 1 if exact else engine.at_once, engine.drop, guard)
        self.template, self.signature = template, signature
        self._engine, self._warn = engine, warn
        self._draw = template.make_drawer()

    @property
    def frame(self) -> PromptFrame:
        """The conversation that is sent, with placeholders for the sentences."""
        lines = [
            f"{turn.role}: {EXPLANATION_MARK if turn.generate else self.template.mark_turn(turn)}\n"
            for turn in self.template.turns
        ]
        return PromptFrame("".join(lines), columns=self.template.columns)

    @property
    def answer_tokens(self) -> AnswerTokens:
        """The spellings of the answers, each as one token."""
        return tuple(tuple((text, (text,)) for text in side) for side in self.template.spellings)

    def _items(self, rows: list[int], sources: Sequence[str], hypotheses: Sequence[str]) -> list[_ChatItem]:
        return [_ChatItem(row) for row in rows]

    def _ask(self, item: _ChatItem, source: str, hypothesis: str) -> PairScore:
        examples = self._draw(drop_columns(source), hypothesis) if self._draw is not None else None
        messages: list[dict[str, str]] = []
        explanation = None
        for turn in self.template.turns:
            if turn.generate:
                explanation = self._engine.write(messages, turn.max_new_tokens)
                text = explanation
            else:
                # Filled in one pass, so that "{hypothesis}" in a source is left alone.
                frame = PromptFrame(self.template.mark_turn(turn), columns=self.template.columns)
                text = frame.fill(source, hypothesis, examples=examples or "")[0]
            messages.append({"role": turn.role, "content": text})
        try:
            first = self._engine.first_token(messages)
        except PromptTooLong:
            self._warn(f"{self.template.name}: pairs longer than the server's context get no score.")
            return PairScore(item.row, math.nan, AnswerEvidence(math.nan, math.nan, examples=examples), asked=False)
        yes, no = (first.bounds(side) for side in self.template.spellings)
        score, p_yes, p_no = score_from_ranges(yes, no)
        if math.isnan(score):
            self._warn(missing_answers_notice(self.template, len(first.chances)))
        top = tuple(first.chances.items())[:SHOWN]
        evidence = AnswerEvidence(p_yes, p_no, top, first.prompt, explanation, examples=examples)
        return PairScore(item.row, score, evidence, asked=not math.isnan(score))


#: A text that the local tokenizer and the server's must split into the same tokens.
_SAMPLE = "“It rained in 1998.” — ça va, 漢字? It's   fine."


class ServedJudge(Judge):
    """A model on a server that the user has connected to."""

    needs_pytorch = False

    def __init__(
        self,
        files: ModelFiles,
        engine: TokenEngine | ConversationServer,
        renderer: TemplateRenderer | None,
        check: Callable[[], None],
        connection: ServerConnection,
    ) -> None:
        self.files = files
        self._connection = connection
        self._engine, self._renderer, self._check = engine, renderer, check

    @classmethod
    def may_load(cls, files: ModelFiles, device: str = "auto", precision: str = "auto") -> bool:
        """Return True for a model on a server."""
        return files.remote is not None and isinstance(files.remote.record, ServerRecord)

    @classmethod
    def load(
        cls,
        files: ModelFiles,
        device: str = "auto",
        precision: str = "auto",
        check: Callable[[], None] = lambda: None,
        say: Callable[[str], None] = lambda text: None,
    ) -> Self:
        """Open the server and check that it runs the same model as on connecting; see `Judge.load`."""
        server = _server(files)
        key = read_key(server.address) if server.key else ""
        connection = ServerConnection(server.base, key, say=say)
        access = open_engine(connection, server.engine, server.model)
        _check_same(server, access, connection)
        return cls(files, access.engine, access.renderer, check, connection)

    @classmethod
    def signature(cls, files: ModelFiles, template: Template, settings: JudgeSettings) -> Signature:
        """Return the signature of its scores; see `Judge.signature`."""
        return pluie_signature(files, template, _mode(_server(files), settings.exact), exact=settings.exact)

    @classmethod
    def computation(cls, files: ModelFiles) -> str:
        """Return "the server http://127.0.0.1:8080"; see `Judge.computation`."""
        return f"the server {_server(files).base}"

    def describe(self, *, exact: bool = False) -> str:
        """Return a line such as "Qwen3-0.6B (vLLM): on 127.0.0.1:8000, asked with token ids"."""
        server = _server(self.files)
        asked = "with conversations" if server.engine in BY_CONVERSATION else "with token ids"
        if server.engine == OLLAMA_RAW:
            asked = "with prompts as text"
        return f"{self.files.name}: on {server.base.partition('//')[2]}, prompted {asked}"

    def spending(self) -> TokenUsage:
        """Return the requests and tokens since the judge was loaded; see `Judge.spending`."""
        return replace(self._connection.counter.total, prices=_server(self.files).prices)

    def scorer(self, template: Template, **options: Unpack[ScorerOptions]) -> TemplateScorer:
        """Return a scorer of pairs under a template; see `Judge.scorer`."""
        self._connection.say = options.get("warn", self._connection.say)
        exact = options.get("exact", False)
        signature = pluie_signature(self.files, template, _mode(_server(self.files), exact), exact=exact)
        return make_scorer(self._engine, self._renderer, template, signature, self._check, options)


def make_scorer(
    engine: TokenEngine | ConversationServer,
    renderer: TemplateRenderer | None,
    template: Template,
    signature: Signature,
    check: Callable[[], None],
    options: ScorerOptions,
) -> TemplateScorer:
    """Return the scorer of pairs for an engine."""
    if isinstance(engine, ConversationServer):
        return ChatScorer(engine, template, signature, check, **options)
    assert renderer is not None
    return ServedScorer(engine, renderer, template, signature, check, **options)


def _server(files: ModelFiles) -> ServerRecord:
    assert files.remote is not None and isinstance(files.remote.record, ServerRecord)
    return files.remote.record


def _mode(server: ServerRecord, exact: bool) -> str:
    """Return the protocol as it is recorded in signatures, in place of a floating-point type."""
    if server.engine == LLAMACPP:
        return llamacpp_mode(exact)
    return "conversation" if server.engine in BY_CONVERSATION else server.engine


@dataclass(frozen=True)
class ServerAccess:
    """An open server.

    Attributes:
        renderer: Renders prompts; None if the server does.
        digest: Digest of the properties that the server reports of its model.
        has_files: Whether the digest covers the model's files. Otherwise different models may have the same digest.
    """

    engine: TokenEngine | ConversationServer
    renderer: TemplateRenderer | None
    digest: str
    has_files: bool = False

    def probe(self) -> TemplateScorer:
        """Return a scorer for the questions in PROBE."""
        return make_scorer(
            self.engine, self.renderer, PROBE, Signature.from_fields("probe", {}), lambda: None, {"exact": True}
        )


def _check_same(server: ServerRecord, access: ServerAccess, connection: ServerConnection) -> None:
    """Raise a ModelError if a server runs a different model than when the user connected to it."""
    again = (
        f"Connect again (`parapluie models connect {server.address}`), so that the scores of two models are not mixed."
    )
    same = server.revision.partition("-")[0] == access.digest
    if same and not access.has_files:
        if not server.probe:
            raise ModelError(
                f"{connection.host} was connected with an earlier version of this program, which did not take a "
                f"fingerprint of its model. Connect again (`parapluie models connect {server.address}`)."
            )
        same = fingerprints_agree(take_fingerprint(access.probe()), server.probe, server.noise)
        same = same and list_named_models(connection) in (server.answers, "")
    if not same:
        raise ModelError(f"{connection.host} runs a different model or version than when you connected to it. {again}")


def list_named_models(connection: ServerConnection) -> str:
    """Return the names of models in the answers so far, separated by spaces."""
    return " ".join(sorted(set(connection.named.values())))


def open_engine(connection: ServerConnection, protocol: str, model: str) -> ServerAccess:
    """Open a server by a protocol.

    Raises:
        ModelError: The server does not speak this protocol or has no such model.
    """
    if protocol == LLAMACPP:
        server = LlamaCppEngine(connection)
        prompt = server.chat_template, server.bos, server.eos
        facts = make_digest(server.model, server.file_type, sorted(server.facts.items()), server.build, prompt)
        return ServerAccess(server, ServerRenderer(server), facts)
    entry = model_entry(connection, model)
    facts = make_digest([entry.get(name) for name in ("id", "root", "max_model_len")])
    name = str(entry["id"])
    if protocol in (OLLAMA, OLLAMA_RAW):
        files = model_digest(connection, name)
        digest = make_digest(name, files)
        if protocol == OLLAMA:
            return ServerAccess(OllamaChat(connection, name), None, digest, bool(files))
        tokenizer = load_ollama_tokenizer(connection, name)
        return ServerAccess(
            OllamaEngine(connection, name, tokenizer, _SAMPLE), TemplateRenderer(tokenizer), digest, bool(files)
        )
    if protocol == LMSTUDIO:
        return ServerAccess(LmStudio(connection, name), None, make_digest(name, lm_studio_facts(connection, name)))
    if protocol == CHAT:
        return ServerAccess(OpenAiChat(connection, name), None, facts)
    tokenizer = local_tokenizer(str(entry.get("root") or entry["id"]), str(entry["id"]))
    check_tokenizer(connection, tokenizer, str(entry["id"]))
    facts = make_digest(facts, str(getattr(tokenizer, "chat_template", "") or ""))
    engine = {VLLM: VllmEngine, SGLANG: SglangEngine}[protocol](connection, entry, tokenizer.decode)
    return ServerAccess(engine, TemplateRenderer(tokenizer), facts)


def lm_studio_facts(connection: ServerConnection, model: str) -> list[object]:
    """Return the key, quantisation, size in bytes and file format of a model of LM Studio.

    An empty list if the server is not LM Studio.
    """
    for entry in dig_list(connection.get("/api/v1/models"), "models"):
        names = [dig(entry, "key"), *(dig(loaded, "id") for loaded in dig_list(entry, "loaded_instances"))]
        if model in names:
            paths = (("key",), ("quantization", "name"), ("size_bytes",), ("format",))
            return [dig(entry, *path) for path in paths]
    return []


def local_tokenizer(*names: str) -> Any:
    """Return the tokenizer of a model on this computer, found by the first of `names` that is known.

    Raises:
        ModelError: None of the names is known.
    """
    require("transformers", what="Sending token ids")
    for name in names:
        try:
            folder = find_model(name).folder
        except ModelError as error:
            missing = error
        else:
            return load_tokenizer(name, folder)
    raise missing


def check_tokenizer(connection: ServerConnection, tokenizer: Any, model: str) -> None:
    """Raise a ModelError if the server splits a sample text into different tokens."""
    expected = tokenizer(_SAMPLE, add_special_tokens=False)["input_ids"]
    body = {"model": model, "prompt": _SAMPLE, "add_special_tokens": False}
    answer = connection.post("/tokenize", body)
    tokens = answer.get("tokens", answer.get("input_ids")) if isinstance(answer, dict) else None
    if tokens != expected:
        raise ModelError(
            f"The tokenizer of {model} on this computer differs from the one on {connection.host}. Fetch the model "
            "again."
        )
