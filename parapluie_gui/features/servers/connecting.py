"""Connects to a server: detects its protocol, and tests whether its log-probabilities can be trusted.

The test sends built-in sentences. It asks the model to say yes, then no, then yes again, and once with the request
after a long text. A server that ignores the request, truncates prompts or returns no log-probabilities is refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from parapluie_gui.errors import ModelError
from parapluie_gui.features.servers.connection import RefusedRequest, ServerConnection, dig
from parapluie_gui.features.servers.conversation import TOP_TOKENS, ConversationServer, PromptTooLong
from parapluie_gui.features.servers.engine import TokenEngine
from parapluie_gui.features.servers.fingerprint import (
    PROBE,
    SHORT,
    WORDS,
    Fingerprint,
    answer,
    fingerprint,
    fingerprints_agree,
    make_digest,
)
from parapluie_gui.features.servers.judge import ServerAccess, list_named_models, open_engine
from parapluie_gui.features.servers.openai import model_entry
from parapluie_gui.features.servers.record import (
    CHAT,
    LLAMACPP,
    LMSTUDIO,
    OLLAMA,
    OLLAMA_RAW,
    SGLANG,
    VLLM,
    ServerRecord,
    find_server,
    load_servers,
    normalise_address,
    parse_host,
    read_key,
    store_key,
    store_server,
)
from parapluie_gui.features.servers.secret import PLACEHOLDER
from parapluie_gui.models.sources import is_this_computer
from parapluie_gui.pluie.judge import TemplateScorer

#: Length of a text that exceeds the context to which servers silently truncate prompts (Ollama: 2,048 or 4,096 tokens).
_LONG = "This is a test of a long text. " * 560
_LONG_WORDS = 560 * 8
#: Seconds before each retry, while connecting.
_WAITS = (0.5,)
#: Smallest difference between the scores of two equal requests that is reported.
_EQUAL = 1e-3
#: Smallest difference between the scores of "say Yes" and "say No" for a model that follows instructions.
_CLEAR = 1.0
#: A probability below that of the second likeliest token of any model.
_IMPOSSIBLE = 1e-30


def connect(
    address: str,
    key: str = "",
    say: Callable[[str], None] = lambda text: None,
    prices: tuple[float, float] | None = None,
) -> ServerRecord:
    """Detect the protocol of a server, test it, and store its record; a key goes to the system's keyring.

    If `prices` is None, the stored prices are kept.

    Raises:
        ModelError: The server cannot be reached, or its log-probabilities cannot be used.
    """
    normalised = normalise_address(address)
    base, _, model = normalised.partition("#")
    typed_key = key
    connection = ServerConnection(base, key, waits=_WAITS, say=say)
    try:
        engine, notes = _detect_engine(connection, model)
    except RefusedRequest as refusal:
        if refusal.status not in (401, 403) or key or not (key := _earlier_key(base)):
            raise
        connection = ServerConnection(base, key, waits=_WAITS, say=say)
        engine, notes = _detect_engine(connection, model)
    say(f"{connection.host} runs {engine}.")
    access = open_engine(connection, engine, model)
    if PLACEHOLDER in access.engine.model:
        raise ModelError(
            f"{connection.host} names its model after your key, which must not appear in names. Choose another server."
        )
    result = _probe(connection, access)
    notes += result.notes
    if typed_key:
        store_key(base, typed_key)  # only after the server accepted it
    if prices is None and (known := find_server(normalised)) is not None:
        prices = known.prices
    prices = prices if any(prices or ()) else None
    server = ServerRecord(normalised, engine, access.engine.model, access.digest, " ".join(notes), bool(key), prices)
    if not access.has_files:
        server = _add_fingerprint(server, result, list_named_models(connection))
    store_server(server)
    return server


def connect_server(
    address: str, say: Callable[[str], None], key: str = "", prices: tuple[float, float] | None = None
) -> None:
    """Connect to a server; report first where sentences will be sent, then the result.

    Raises:
        ModelError: In the same cases as `connect`.
    """
    if not is_this_computer(normalise_address(address)):
        say(f"Sentences that this judge scores are sent to {parse_host(address)}, which is not this computer.")
    server = connect(address, key, say, prices)
    say(f"{server.name} on {parse_host(address)} is ready.{' ' + server.note if server.note else ''}")


def _add_fingerprint(server: ServerRecord, result: _ProbeResult, answers: str) -> ServerRecord:
    """Return the record of a server that does not report its model's files, with a fingerprint of the model.

    If the fingerprint agrees with a stored one, that revision is used, so earlier scores stay valid.
    """
    for known in load_servers():
        if (
            (known.base, known.engine, known.model) == (server.base, server.engine, server.model)
            and known.revision.partition("-")[0] == server.revision
            and known.probe
            and known.answers == answers
            and fingerprints_agree(result.fingerprint, known.probe, max(result.noise, known.noise))
        ):
            return replace(server, revision=known.revision, probe=known.probe, noise=known.noise, answers=answers)
    revision = f"{server.revision}-{make_digest(server.base, result.fingerprint, answers)}"
    return replace(server, revision=revision, probe=result.fingerprint, noise=result.noise, answers=answers)


def _earlier_key(base: str) -> str:
    """Return the stored key; "" if there is no key or no keyring."""
    try:
        return read_key(base)
    except ModelError:
        return ""


def _detect_engine(connection: ServerConnection, model: str) -> tuple[str, list[str]]:
    """Return the protocol of a server, and sentences about it for the user."""
    if dig(_get_page(connection, "/props"), "default_generation_settings") is not None:
        return LLAMACPP, []
    entry = model_entry(connection, model)
    engine = {"vllm": VLLM, "sglang": SGLANG}.get(str(entry.get("owned_by")))
    fallback = CHAT
    if engine is None and dig(_get_page(connection, "/api/version"), "version") is not None:
        engine, fallback = OLLAMA_RAW, OLLAMA
    elif engine is None and dig(_get_page(connection, "/api/v1/models"), "models") is not None:
        fallback = LMSTUDIO
    note = "The server renders the prompt itself. A score is a bound if an answer is not among the likeliest tokens."
    if engine is None:
        return fallback, [note]
    try:
        open_engine(connection, engine, model)
    except ModelError as error:
        return fallback, [f"{note} {error}"]
    if engine == OLLAMA_RAW:
        return engine, ["A score is a bound if an answer is not among the likeliest tokens."]
    return engine, []


def _get_page(connection: ServerConnection, path: str) -> Any:
    """Return the answer of a server, None if it has no such path; an unreachable server fails at the next request."""
    try:
        return connection.get(path)
    except RefusedRequest as refusal:
        if refusal.status in (401, 403):
            raise
    except ModelError:
        pass
    return None


@dataclass(frozen=True)
class _ProbeResult:
    """The result of testing a server.

    Attributes:
        notes: Sentences for the user.
        fingerprint: Fingerprint of its model.
        noise: Difference between the scores of the same question.
    """

    notes: list[str]
    fingerprint: Fingerprint
    noise: float


def _probe(connection: ServerConnection, access: ServerAccess) -> _ProbeResult:
    """Test an engine.

    Raises:
        ModelError: Its answers do not depend on the question, or on its end.
    """
    engine, scorer = access.engine, access.probe()
    yes, no, _ = answers = [answer(scorer, SHORT, word) for word in WORDS]
    again = answer(scorer, SHORT, WORDS[0])
    notes = []
    difference = yes.score - no.score
    if math.isnan(difference):
        notes.append("Neither Yes nor No is among its likeliest answers to a simple question.")
    elif yes.score == no.score:
        raise ModelError(
            f"{engine.model} gives the same answer to different questions, so the server ignores part of the request. "
            "Choose another server or model."
        )
    elif yes.score < -_CLEAR and no.score > _CLEAR:
        raise ModelError(
            f"{engine.model} says No when it is asked to say Yes, and Yes when it is asked to say No. The server mixes "
            "up the answers, or the model does not follow instructions. Choose another server or model."
        )
    elif difference < _CLEAR:
        notes.append(
            f"Asked to say Yes, its score is {yes.score:.1f}; asked to say No, {no.score:.1f}. The model hardly "
            "follows instructions."
        )
    noise = abs(yes.score - again.score)
    if noise > _EQUAL:
        notes.append(f"Two scores for the same question differ by {noise:.3f}; other scores vary by as much.")
    if isinstance(engine, ConversationServer):
        notes += _check_top_tokens(engine)
    if isinstance(engine, ConversationServer) or not connection.counter.total.read:
        _check_long(engine, scorer)
    return _ProbeResult(notes, fingerprint(answers), 0.0 if math.isnan(noise) else noise)


def _messages(text: str, word: str) -> list[dict[str, str]]:
    [turn] = PROBE.turns
    return [{"role": turn.role, "content": turn.text.format(source=text, hypothesis=word)}]


def _check_top_tokens(engine: ConversationServer) -> list[str]:
    """Return a note on a server that lists few tokens; refuse one that returns the choice, not the probabilities."""
    probabilities = list(engine.first_token(_messages(SHORT, "Yes")).chances.values())
    if probabilities[1] < _IMPOSSIBLE:
        raise ModelError(
            f"The server of {engine.model} returns the word that it chooses, not how likely each word is. Switch off "
            "processed log-probabilities (vLLM: --logprobs-mode raw_logprobs), or choose a different server."
        )
    count = len(probabilities)
    if count < TOP_TOKENS:
        return [f"It returns the {count} likeliest answers instead of {TOP_TOKENS}, so more scores are bounds."]
    return []


def _check_long(engine: TokenEngine | ConversationServer, scorer: TemplateScorer) -> None:
    """Refuse a server that truncates long prompts silently.

    An engine that takes token ids and reports how many it read is checked at each answer instead.
    """
    if isinstance(engine, ConversationServer):
        try:
            yes, no = (engine.first_token(_messages(_LONG, word)) for word in ("Yes", "No"))
        except PromptTooLong:
            return
        is_truncated = 0 < yes.prompt < _LONG_WORDS or yes.chances == no.chances
    else:
        scores = [answer(scorer, _LONG, word) for word in ("Yes", "No")]
        is_truncated = all(scored.asked for scored in scores) and scores[0].score == scores[1].score
    if is_truncated:
        raise ModelError(
            f"The server of {engine.model} silently truncates prompts of {_LONG_WORDS:,} words, so a pair of long "
            "sentences would be judged without the question. Start it with a context of 8,192 tokens or more."
        )
